/* overview.js - the strip above the timeline: the whole run, its devices' work by density, builds and first
 * launches below it, marks where the search found something, and a window where the timeline looks. */
const overview = {
  canvas: $("over"),
  picture: null,
  stale: true,
  HEIGHT: 34
};

function overviewX(t) { return (t - t0) / (t1 - t0) * layout.width; }
/* Shares of the time of each pixel's column, by colour. */
function overviewColumns(width) {
  const columns = Array.from({length: width}, () => new Map()), scale = width / (t1 - t0);
  const places = Math.max(1, new Set(C.map(c => c[DEVICE])).size);
  C.forEach((c, i) => {
    if (!c[KIND] || !c[RUN1]) return;
    const a = (c[RUN0] - t0) * scale, b = (c[RUN1] - t0) * scale, paint = commandPaint[i];
    for (let x = Math.max(0, Math.floor(a)); x < width && (x < b || x === Math.floor(a)); x++) {
      const part = Math.max(0, Math.min(b, x + 1) - Math.max(a, x)) / places;
      columns[x].set(paint, (columns[x].get(paint) || 0) + part);
    }
  });
  return columns;
}
function drawOverview() {
  const width = layout.width, r = devicePixelRatio || 1, base = overview.HEIGHT - 6;
  const picture = overview.picture = document.createElement("canvas");
  picture.width = Math.max(1, Math.round(width * r));
  picture.height = Math.round(overview.HEIGHT * r);
  const g = picture.getContext("2d");
  g.setTransform(r, 0, 0, r, 0, 0);
  g.fillStyle = css.ground;
  g.fillRect(0, 0, width, overview.HEIGHT);
  overviewColumns(Math.ceil(width)).forEach((column, x) => {
    let taken = 0, most = -1, paint = 0;
    for (const [p, v] of column) {
      taken += v;
      if (v > most) {
        most = v;
        paint = p;
      }
    }
    if (most < 0) return;
    const high = Math.max(1.5, base * Math.min(1, taken));
    g.fillStyle = PAINT[paint].fill;
    g.fillRect(x, base - high, 1, high);
  });
  for (const c of calls) {
    const paint = paintOf(-2, c);
    if (paint !== PAINT_BUILD) continue;
    g.fillStyle = PAINT[paint].fill;
    g.fillRect(
        overviewX(c[CALL.BEGIN]), base + 2, Math.max(1, overviewX(c[CALL.END]) - overviewX(c[CALL.BEGIN])),
        4);
  }
  overview.stale = false;
}
function paintOverview() {
  if (overview.stale || overview.width !== layout.width) {
    overview.width = layout.width;
    drawOverview();
  }
  const g = fit(overview.canvas, layout.width, overview.HEIGHT), a = overviewX(view.begin),
        b = overviewX(view.end);
  g.drawImage(overview.picture, 0, 0, layout.width, overview.HEIGHT);
  g.fillStyle = css.paper;
  g.globalAlpha = .55;
  g.fillRect(0, 0, a, overview.HEIGHT);
  g.fillRect(b, 0, layout.width - b, overview.HEIGHT);
  g.globalAlpha = 1;
  g.fillStyle = css.trouble;
  if (found.length < C.length)
    for (const c of found) g.fillRect(overviewX(C[c][RUN0] || C[c][CALL0]) - 1, 0, 2, 6);
  g.strokeStyle = css.mark;
  g.lineWidth = 2;
  g.strokeRect(Math.max(1, Math.min(a, layout.width - 4)), 1, Math.max(3, b - a - 2), overview.HEIGHT - 2);
}
/* Pressing and dragging moves the window there; one that is nearly all of the run becomes a tenth first. */
function overviewTo(event) {
  const r = overview.canvas.getBoundingClientRect(), t = t0 + (event.clientX - r.left) / r.width * (t1 - t0);
  let width = view.end - view.begin;
  if (width > (t1 - t0) * .8) width = (t1 - t0) / 10;
  look(t - width / 2, t + width / 2);
}
overview.canvas.onpointerdown = e => {
  views.push([view.begin, view.end]);
  overview.canvas.setPointerCapture(e.pointerId);
  overview.held = true;
  overviewTo(e);
};
overview.canvas.onpointermove = e => {
  if (overview.held) overviewTo(e);
};
overview.canvas.onpointerup = overview.canvas.onpointercancel = () => {
  overview.held = false;
};
