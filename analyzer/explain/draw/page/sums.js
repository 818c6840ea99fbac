/* sums.js - what ran in the selection, or else in the view: by name how often and how long; how busy devices
 * were. */
const SUM_ROWS = 200;
let sumTimer = 0;

/* When the view rests for a moment. */
function sumSoon() {
  if (sumTimer) clearTimeout(sumTimer);
  sumTimer = setTimeout(sums, 120);
}
/* A command that ran has a row of its queue and one of its device: those of devices count where there are
 * some. */
function summedLanes(rows) {
  const by = rows.some(l => l.type === "device" || l.type === "kernel");
  return rows.filter(l => l.type !== "plan" && !(by && l.type === "queue"));
}
function sumKind(l) { return l.type === "host" ? "call" : l.type === "memory" ? "copy" : ""; }
/* {rows: [{name, paint, kind, times}], busy: Map from a device to the ns that it was busy} */
function sumUp(range) {
  const names = new Map(), ran = new Map();
  for (const l of summedLanes(lanes.slice(range.first, range.last + 1)))
    for (let i = firstAt(l, range.begin); i < l.n && l.begin[i] < range.end; i++) {
      if (l.end[i] <= range.begin && l.end[i] > l.begin[i]) continue;
      const more = l.more[i], c = l.command[i], name = itemName(c, more), kind = sumKind(l),
            key = kind + " " + name;
      if (l.dim[i]) continue;
      const row = names.get(key) || names.set(key, {name, kind, paint: l.paint[i], times: []}).get(key);
      row.times.push(l.end[i] - l.begin[i]);
      if (kind || c < 0) continue;
      const device = more && more[PART.DEVICE] !== undefined ? more[PART.DEVICE] : C[c][DEVICE];
      put(ran, device, [Math.max(l.begin[i], range.begin), Math.min(l.end[i], range.end)]);
    }
  const busy = new Map([...ran].sort((a, b) => a[0] - b[0]).map(([device, list]) => [device, unionOf(list)]));
  return {rows: [...names.values()], busy};
}
/* Of ascending times; as explain/spread.c has it. */
function median(times) {
  const half = times.length >> 1;
  return times.length % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
}
/* The length of all of these together, [begin, end] each. */
function unionOf(list) {
  let sum = 0, until = -Infinity;
  for (const [a, b] of list.sort((p, q) => p[0] - q[0])) {
    sum += Math.max(0, b - Math.max(a, until));
    until = Math.max(until, b);
  }
  return sum;
}
function sumHead(range, busy) {
  const span = range.end - range.begin, list = [...busy].slice(0, 12);
  const text =
      list.map(([d,
                 v]) => (D.devices.length > 1 ? "device " + d : "the device") + " busy " + percent(v / span))
          .join(", ");
  $("sumhead").replaceChildren(
      el("b", {}, (selection ? "Selected" : "In view") + (dimmed() ? ", not dimmed: " : ": ")),
      ns(span) + " from " + ns(range.begin - t0) + (text ? "; " + text : "") + (busy.size > 12 ? ", …" : ""));
  if (selection)
    $("sumhead").append(
        " ", el("button", {onclick: lookAtChosen}, "zoom to it (F)"), " ",
        el("button", {onclick: escape}, "clear (Esc)"));
}
function sums() {
  if (sumTimer) clearTimeout(sumTimer);
  sumTimer = 0;
  const range = selection || {begin: view.begin, end: view.end, first: 0, last: lanes.length - 1},
        {rows, busy} = sumUp(range);
  sumHead(range, busy);
  for (const r of rows) {
    r.times.sort((a, b) => a - b);
    r.sum = r.times.reduce((a, b) => a + b, 0);
  }
  const all = rows.filter(r => !r.kind).reduce((a, r) => a + r.sum, 0);
  rows.sort((a, b) => !!a.kind - !!b.kind || b.sum - a.sum);
  const cell = v => ns(v);
  fill(
      $("sums"), [{text: "what"}, n("count"), n("total"), n("share"), n("min"), n("median"), n("max")],
      rows.slice(0, SUM_ROWS).map(r => ({
                                    cells: [
                                      el("span", {}, keyOf(PAINT[r.paint].fill), r.name,
                                         r.kind ? el("span", {class: "soft"}, " (" + r.kind + ")") : ""),
                                      r.times.length.toLocaleString("en"), cell(r.sum),
                                      r.kind ? "" : percent(r.sum / (all || 1)), cell(r.times[0]),
                                      cell(median(r.times)), cell(r.times[r.times.length - 1])
                                    ]
                                  })));
}
