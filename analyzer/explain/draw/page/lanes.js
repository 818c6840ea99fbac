/* lanes.js - the rows of the timeline: items of one row do not overlap. */
const SUBLANES = 8, STREAMS = 65; /* rows of one key; streams of a queue that have rows of their own */
let lanes = [];

/* An item is [begin, end, command or -2, part, copy or call]. Items of one key that overlap get more rows.
 * type: "host", "queue", "device", "plan", "memory", "kernel" or "count". */
function stack(label, type, rows, order) {
  const made = [];
  for (const key of order || [...rows.keys()].sort((a, b) => a - b)) {
    const sub = [];
    for (const item of rows.get(key).sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
      let l = sub.findIndex(s => s[s.length - 1][1] <= item[0]);
      if (l < 0) l = sub.length < SUBLANES ? sub.push([]) - 1 : SUBLANES - 1;
      sub[l].push(item);
    }
    sub.forEach((items, n) => made.push(lane(n ? "" : label(key), type, items, key)));
  }
  return made;
}
/* Arrays of numbers, as 50,000 items a row are painted 60 times a second. reach: the latest end so far. */
function lane(label, type, items, key) {
  const n = items.length, begin = new Float64Array(n), end = new Float64Array(n), reach = new Float64Array(n);
  const command = new Int32Array(n), paint = new Uint8Array(n), dim = new Uint8Array(n), more = [];
  items.forEach((item, i) => {
    begin[i] = item[0];
    end[i] = item[1];
    reach[i] = Math.max(item[1], i ? reach[i - 1] : item[1]);
    command[i] = item[2];
    more[i] = item[3] || null;
    paint[i] = paintOf(item[2], item[3]);
  });
  return {label, type, key, n, begin, end, reach, command, more, paint, dim};
}
/* The first item of a row that ends at `t` or later. */
function firstAt(l, t) {
  let a = 0, b = l.n;
  while (a < b) {
    const m = (a + b) >> 1;
    if (l.reach[m] < t)
      a = m + 1;
    else
      b = m;
  }
  return a;
}
function itemName(c, more) {
  return more && more.move ? "copy" : more && more.call ? more[CALL.NAME] : C[c][NAME];
}

function hostLanes() {
  const rows = new Map();
  C.forEach((c, i) => {
    if (c[CALL0] || c[CALL1]) put(rows, c[THREAD], [c[CALL0], c[CALL1], i]);
  });
  for (const c of calls) put(rows, c[CALL.THREAD], [c[CALL.BEGIN], c[CALL.END], -2, c]);
  return stack(k => "host thread " + k, "host", rows);
}
function queueLanes() {
  const rows = new Map();
  C.forEach((c, i) => {
    if (c[KIND] && c[RUN1] && c[QUEUE] >= 0)
      put(rows, c[QUEUE] * STREAMS + Math.min(c[STREAM], STREAMS - 1), [c[RUN0], c[RUN1], i]);
  });
  return stack(k => queueName(Math.floor(k / STREAMS), k % STREAMS), "queue", rows);
}
/* What ran, by any key: commands, of those that were cut their parts. */
function ran(keyOfItem) {
  const rows = new Map();
  C.forEach((c, i) => {
    if (c[KIND] && c[RUN1] && c[DEVICE] >= 0 && !partsOf.has(i))
      put(rows, keyOfItem(i, c[DEVICE]), [c[RUN0], c[RUN1], i]);
  });
  for (const p of parts)
    if (p[PART.DEVICE] >= 0)
      put(rows, keyOfItem(p[PART.COMMAND], p[PART.DEVICE]), [p[PART.BEGIN], p[PART.END], p[PART.COMMAND], p]);
  return rows;
}
/* What ran on each device, and right below it what was planned there. */
function deviceLanes() {
  const made = [], rows = ran((c, device) => device), wanted = new Map();
  if ($("showplan").checked)
    for (const p of plans)
      if (p[PART.DEVICE] >= 0) put(wanted, p[PART.DEVICE], [p[PART.BEGIN], p[PART.END], p[PART.COMMAND], p]);
  for (const k of [...new Set([...rows.keys(), ...wanted.keys()])].sort((a, b) => a - b)) {
    if (rows.has(k)) made.push(...stack(deviceName, "device", rows, [k]));
    if (wanted.has(k)) made.push(...stack(d => "plan of device " + d, "plan", wanted, [k]));
  }
  return made;
}
function moveLanes() {
  const ways = new Map();
  for (const m of moves)
    put(ways, 2 * m[MOVE.DEVICE] + m[MOVE.HOME], [m[MOVE.BEGIN], m[MOVE.END], m[MOVE.COMMAND], m]);
  return stack(k => k % 2 ? "device " + (k >> 1) + " → host" : "host → device " + (k >> 1), "memory", ways);
}
/* Kernels, those first that take most time, then other commands and copies. */
function kernelLanes() {
  const rows = ran(c => C[c][NAME]), time = new Map();
  for (const [name, items] of rows) {
    const kernel = C[items[0][2]][KIND] === 2;
    time.set(name, items.reduce((sum, i) => sum + i[1] - i[0], 0) + (kernel ? 1e18 : 0));
  }
  return [
    ...stack(k => k, "kernel", rows, [...rows.keys()].sort((a, b) => time.get(b) - time.get(a))),
    ...moveLanes()
  ];
}
/* One device with one queue needs no row for each. */
const severalPlaces = D.queues.length > 1 || D.devices.length > 1 || parts.length || moves.length;
function buildLanes() {
  if ($("rowsby").value === "kernel")
    lanes = kernelLanes();
  else
    lanes = [
      ...hostLanes(), ...queueLanes(), ...(severalPlaces ? [...deviceLanes(), ...moveLanes()] : []),
      ...($("showcounts").checked ? counterLanes() : [])
    ];
  if (!lanes.length) lanes = hostLanes();
}

/* ---- ranges of time */
/* All of the run, and the commands of it; calls before them, builds most of all, are left of these. */
function timeRange() {
  let t0 = Infinity, t1 = -Infinity;
  const take = (b, e) => {
    t0 = Math.min(t0, b);
    t1 = Math.max(t1, e);
  };
  for (const c of C) {
    if (c[CALL0] || c[CALL1]) take(c[CALL0], c[CALL1]);
    if (c[KIND] && c[RUN1]) take(c[RUN0], c[RUN1]);
  }
  for (const c of calls)
    if (c[CALL.END] > c[CALL.BEGIN]) take(c[CALL.BEGIN], c[CALL.END]);
  for (const p of parts.concat(plans)) take(p[PART.BEGIN], p[PART.END]);
  for (const m of moves) take(m[MOVE.BEGIN], m[MOVE.END]);
  return t0 < t1 ? [t0, t1] : [0, 1];
}
/* When something ran on a device: {begin, end, time, count}, in order, those that touch each other as one. */
function busyTimes() {
  const spans = [], busy = [];
  for (const c of C)
    if (c[KIND] && c[RUN1]) spans.push([c[RUN0], c[RUN1]]);
  for (const m of moves) spans.push([m[MOVE.BEGIN], m[MOVE.END]]);
  if (!spans.length)
    for (const c of C)
      if (c[KIND] && c[CALL1]) spans.push([c[CALL0], c[CALL1]]);
  for (const [begin, end] of spans.sort((a, b) => a[0] - b[0])) {
    const last = busy[busy.length - 1];
    if (last && begin <= last.end) {
      last.end = Math.max(last.end, end);
      last.count++;
    } else
      busy.push({begin, end, count: 1});
  }
  return busy;
}
/* The place in `busy` behind the widest pause. */
function widestPause(busy) {
  const pause = i => busy[i].begin - busy[i - 1].end;
  let widest = 1;
  for (let i = 2; i < busy.length; i++)
    if (pause(i) > pause(widest)) widest = i;
  return [widest, pause(widest)];
}
/* The work: without pauses that are longer than all of it, such as first launches that wait for a compiler.
 * Of the two sides of a pause that with more work counts, by time and by number, as long as it has a third of
 * all. */
function workRange() {
  let busy = busyTimes();
  if (!busy.length) return timeRange();
  const sum = (list, f) => list.reduce((v, s) => v + f(s), 0), time = s => s.end - s.begin,
        count = s => s.count;
  const all = sum(busy, time), number = sum(busy, count);
  const share = list => sum(list, time) / (all || 1) / 2 + sum(list, count) / number / 2;
  while (busy.length > 1) {
    const [at, pause] = widestPause(busy), sides = [busy.slice(0, at), busy.slice(at)];
    const kept = share(sides[0]) > share(sides[1]) ? sides[0] : sides[1];
    if (pause <= all || share(kept) < 1 / 3) break;
    busy = kept;
  }
  const begin = busy[0].begin, end = busy[busy.length - 1].end, rim = Math.max((end - begin) * .02, 1);
  return [begin - rim, end + rim];
}
