/* counters.js - rows that count: commands that are enqueued and have not ended, by queue; bytes that are on
 * their way, by device. */
const TRANSFER = 14; /* place in a row of D.commands: bytes that a transfer moves */

/* A row of steps: from times[i] on it has values[i]. changes: [time, by how much]. */
function counterLane(label, changes, words) {
  const l = Object.assign(lane("", "count", [], 0), {times: [], values: [], most: 0, words});
  let value = 0;
  for (const [t, by] of changes.sort((a, b) => a[0] - b[0])) {
    value += by;
    if (t !== l.times[l.times.length - 1])
      l.times.push(t), l.values.push(value);
    else
      l.values[l.values.length - 1] = value;
  }
  for (const v of l.values) l.most = Math.max(l.most, v);
  l.label = label + " ≤ " + words(l.most);
  return l;
}
function counterLanes() {
  const queues = new Map(), devices = new Map();
  const add = (map, key, begin, end, by) => {
    if (!(end >= begin) || !(by > 0)) return;
    put(map, key, [begin, by]);
    put(map, key, [end, -by]);
  };
  for (const c of C) {
    if (!c[KIND] || !c[RUN1] || c[QUEUE] < 0) continue;
    if (c[CALL1]) add(queues, c[QUEUE], c[CALL0], c[RUN1], 1);
    add(devices, c[DEVICE], c[RUN0], c[RUN1], c[TRANSFER]);
  }
  for (const m of moves) add(devices, m[MOVE.DEVICE], m[MOVE.BEGIN], m[MOVE.END], m[MOVE.BYTES]);
  const rows =
      (map, label,
       words) => [...map].sort((a, b) => a[0] - b[0]).map(([k, v]) => counterLane(label(k), v, words));
  return [
    ...rows(queues, k => "queue " + k + " depth", v => v.toLocaleString("en")),
    ...rows(devices, k => "device " + k + " moves", bytes)
  ];
}
/* The place of the last step at `t` or before; -1: none. */
function stepAt(l, t) {
  let a = 0, b = l.times.length;
  while (a < b) {
    const m = (a + b) >> 1;
    if (l.times[m] <= t)
      a = m + 1;
    else
      b = m;
  }
  return a - 1;
}
/* Each pixel's column is as high as the largest value in it. */
function paintCounter(g, l) {
  const width = layout.width - layout.label, time = (view.end - view.begin) / width,
        ink = pixel(css.mark, .55);
  beginColumns(Math.ceil(width), Math.round(layout.bar * (devicePixelRatio || 1)), 1);
  let i = stepAt(l, view.begin);
  for (let x = 0; x < width; x++) {
    let most = i >= 0 ? l.values[i] : 0;
    for (const end = view.begin + (x + 1) * time; i + 1 < l.times.length && l.times[i + 1] < end; i++)
      most = Math.max(most, l.values[i + 1]);
    if (most > 0) fillColumn(x, Math.max(1, Math.round(columns.height * most / l.most)), ink);
  }
  endColumns(g, layout.label, yOf(l) + 2, layout.bar);
}
function counterText(l, t) {
  const i = stepAt(l, t);
  return l.label.replace(/ ≤ .*/, "") + ": " + l.words(i < 0 ? 0 : l.values[i]) +
      "\nmost: " + l.words(l.most);
}
