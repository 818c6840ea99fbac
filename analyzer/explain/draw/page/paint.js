/* paint.js - draws the timeline: axis, rows, labels, arrows of the chosen command, the selection. */
const canvas = $("time"), TOP = 22;
/* label: the width of labels before rows; head: the height of labels above them; bar: the height of bars */
const layout = {
  width: 0,
  height: 0,
  label: 0,
  row: 22,
  bar: 18,
  head: 0
};
const css = {}, NARROW = 12; /* pixels, below which items are columns */

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "line", "paper", "ground", "mark", "box", "trouble"])
    css[name] = style.getPropertyValue("--" + name).trim();
}
/* On narrow screens labels stand above their rows, elsewhere before them. */
function layOut() {
  const narrow = $("rows").clientWidth < 640;
  layout.width = $("rows").clientWidth;
  layout.label = narrow ? 0 : 190;
  layout.head = narrow ? 15 : 0;
  let total = TOP;
  for (const l of lanes) {
    l.y = total + (l.label ? layout.head : 0);
    total = l.y + layout.row;
  }
  total += 6;
  layout.height = Math.min(total, Math.max(160, Math.floor(innerHeight * .72)));
  canvas.style.height = layout.height + "px";
  $("rowspace").style.height = total - layout.height + "px";
}
function fit(target, width, height) {
  const r = devicePixelRatio || 1, w = Math.round(width * r), h = Math.round(height * r);
  if (target.width !== w || target.height !== h) {
    target.width = w;
    target.height = h;
  }
  const g = target.getContext("2d");
  g.setTransform(r, 0, 0, r, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px DejaVu Sans Mono, Menlo, Consolas, monospace";
  g.textBaseline = "middle";
  return g;
}
function xOf(t) {
  return layout.label + (t - view.begin) / (view.end - view.begin) * (layout.width - layout.label);
}
function timeAt(x) {
  return view.begin + (x - layout.label) / (layout.width - layout.label) * (view.end - view.begin);
}
/* The top of the bars of a row, on the canvas; a label may stand above it. */
function yOf(l) { return l.y - $("rows").scrollTop; }

/* ---- the axis */
/* A time at a tick, with as many decimals as tell it from the next one. */
function tickText(v, step, largest) {
  const [unit, name] = largest >= 1e9 ? [1e9, "s"] :
      largest >= 1e6                  ? [1e6, "ms"] :
      largest >= 1e3                  ? [1e3, "us"] :
                                        [1, "ns"];
  return (v / unit).toFixed(Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9))) + " " + name;
}
function tickStep(g) {
  const width = layout.width - layout.label, span = view.end - view.begin, largest = view.end - t0;
  for (let power = Math.floor(Math.log10(span / width));; power++)
    for (const k of [1, 2, 5]) {
      const step = k * Math.pow(10, power);
      if (step >= 1 && step / span * width > g.measureText(tickText(largest, step, largest)).width + 18)
        return step;
    }
}
function paintAxis(g) {
  const step = tickStep(g), largest = view.end - t0;
  g.save();
  g.beginPath();
  g.rect(layout.label, 0, layout.width - layout.label, layout.height);
  g.clip();
  for (let k = Math.ceil((view.begin - t0) / step); k * step <= largest; k++) {
    const x = xOf(t0 + k * step);
    g.fillStyle = css.line;
    g.fillRect(x, TOP - 6, 1, layout.height);
    const text = tickText(k * step, step, largest);
    g.fillStyle = css.soft;
    if (x + 3 + g.measureText(text).width <= layout.width) g.fillText(text, x + 3, 8);
  }
  g.restore();
}

/* ---- rows */
function barText(l, i) {
  const more = l.more[i], c = l.command[i];
  return more && more.move ? bytes(more[MOVE.BYTES]) : itemName(c, more);
}
function paintWide(g, l, i, xa, xb, y, high) {
  const p = PAINT[l.paint[i]], full = l.type === "plan" ? .5 : 1;
  g.globalAlpha = l.dim[i] ? full * DIM : full;
  g.fillStyle = p.fill;
  g.fillRect(xa, y, xb - xa - 1, high);
  if (xb - xa > 34 && high > 10) {
    const room = Math.floor((xb - xa - 6) / 7.3), text = barText(l, i);
    g.fillStyle = l.type === "plan" ? css.ink : p.text;
    if (l.type === "plan") g.globalAlpha = l.dim[i] ? DIM : 1;
    g.fillText(text.length > room ? text.slice(0, room - 1) + "…" : text, xa + 3, y + high / 2 + 1);
  }
  g.globalAlpha = 1;
}
/* places: where the ends of arrows are, by row and command; only while a command is chosen. */
function paintRow(g, l, places) {
  const high = l.type === "plan" ? layout.bar - 6 : layout.bar, y0 = yOf(l), y = y0 + (layout.row - high) / 2;
  const width = layout.width - layout.label, scale = width / (view.end - view.begin);
  beginColumns(Math.ceil(width), Math.round(high * (devicePixelRatio || 1)), l.type === "plan" ? .5 : 1);
  for (let i = firstAt(l, view.begin); i < l.n && l.begin[i] <= view.end; i++) {
    const a = (l.begin[i] - view.begin) * scale, b = (l.end[i] - view.begin) * scale;
    const xa = Math.max(a, 0), xb = Math.min(b, width);
    if (places && l.type !== "plan" && l.command[i] >= 0 && !(l.more[i] && l.more[i].move))
      notePlace(places, l.command[i], layout.label + xa, layout.label + xb, y0);
    if (b - a < 1)
      addThin(xa, xb, l.paint[i], !l.dim[i]);
    else if (xb - xa < NARROW)
      addSolid(xa, xb, l.paint[i], !l.dim[i]);
    else
      paintWide(g, l, i, layout.label + xa, layout.label + xb, y, high);
  }
  endColumns(g, layout.label, y, high);
}
function paintLabel(g, l) {
  if (!l.label) return;
  const room = layout.label ? Math.floor((layout.label - 10) / 7.3) : Math.floor(layout.width / 7.3);
  g.fillStyle = css.ink;
  const text = l.label.length > room ? l.label.slice(0, room - 1) + "…" : l.label;
  g.fillText(text, 2, layout.label ? yOf(l) + layout.row / 2 : yOf(l) - layout.head / 2 + 2);
}

/* ---- the chosen command: its outlines, and arrows from what it waits for and to what waits for it */
function neighbours() {
  const set = new Set([chosen]);
  for (const e of into.get(chosen) || []) set.add(e.from);
  for (const e of outof.get(chosen) || []) set.add(e.to);
  return {set, at: new Map()};
}
function notePlace(places, c, xa, xb, y) {
  if (!places.set.has(c)) return;
  put(places.at, c, [xa, Math.max(xb, xa + 1), y]);
}
function paintArrows(g, places) {
  const middle = layout.row / 2;
  g.strokeStyle = css.ink;
  g.lineWidth = 2;
  for (const [xa, xb, y] of places.at.get(chosen) || [])
    g.strokeRect(xa - 1, y + 1, xb - xa + 2, layout.row - 2);
  const last = c => {
    const list = places.at.get(c);
    return list && list[list.length - 1];
  }, me = last(chosen);
  if (!me) return;
  g.lineWidth = 1.4;
  for (const [list, end, ink] of [
           [into.get(chosen), "from", "#d9480f"], [outof.get(chosen), "to", "#2b8a3e"]])
    for (const e of list || []) {
      const other = last(e[end]);
      if (!other) continue;
      const [a, b] = end === "from" ? [other, me] : [me, other];
      g.strokeStyle = ink;
      g.beginPath();
      g.moveTo(a[1], a[2] + middle);
      g.bezierCurveTo(a[1] + 24, a[2] + middle, b[0] - 24, b[2] + middle, b[0], b[2] + middle);
      g.stroke();
    }
}
function paintRange(g, s, whole) {
  if (!s) return;
  const xa = Math.max(layout.label, xOf(s.begin)), xb = Math.min(layout.width, xOf(s.end));
  const ya = whole ? TOP - 6 : yOf(lanes[s.first]) - (lanes[s.first].label ? layout.head : 0),
        yb = whole ? layout.height : yOf(lanes[s.last]) + layout.row;
  if (xb < xa) return;
  g.fillStyle = css.box;
  g.fillRect(xa, ya, xb - xa, yb - ya);
  g.strokeStyle = css.mark;
  g.lineWidth = 1;
  g.strokeRect(xa + .5, ya + .5, xb - xa - 1, yb - ya - 1);
  const text = ns(Math.max(0, s.end - s.begin)), width = g.measureText(text).width + 8;
  const x = Math.min(Math.max(xa, (xa + xb - width) / 2), layout.width - width);
  g.fillStyle = css.paper;
  g.fillRect(x - 6, 0, width + 12, 16); /* no half of a tick's text */
  g.fillStyle = css.mark;
  g.fillRect(x, 0, width, 16);
  g.fillStyle = css.paper;
  g.fillText(text, x + 4, 8);
}
function paint() {
  layOut();
  if (layout.width <= layout.label) return; /* not laid out yet, or in a window of no width */
  const g = fit(canvas, layout.width, layout.height), places = chosen >= 0 ? neighbours() : null;
  paintAxis(g);
  g.save();
  g.beginPath();
  g.rect(0, TOP - 6, layout.width, layout.height);
  g.clip();
  for (const l of lanes) {
    if (yOf(l) + layout.row < TOP || yOf(l) - layout.head > layout.height) continue;
    if (l.type === "count")
      paintCounter(g, l);
    else
      paintRow(g, l, places);
    paintLabel(g, l);
  }
  if (places) paintArrows(g, places);
  g.restore();
  paintRange(g, selection, false);
  if (box) paintRange(g, box, box.whole);
  paintOverview();
}
