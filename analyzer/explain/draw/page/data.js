/* data.js - the page's data, as report.c puts them, and how values are written. All files of this folder are
 * one script, in the order of report_page.c; what one of them declares the later ones use. */
"use strict";
const $ = id => document.getElementById(id);
const D = JSON.parse($("data").textContent);
const C = D.commands;

/* Places in a row of D.commands; times are ns from the trace's start, 0 and 0: not known. */
const NAME = 0, KIND = 1, QUEUE = 2, THREAD = 3, CALL0 = 4, CALL1 = 5, RUN0 = 6, RUN1 = 7, SLACK = 8,
      RANGE = 9;
const STATUS = 10, DEVICE = 11, STREAM = 12, STAGED = 13;
/* In a row of D.moves, of D.calls, and of D.parts and D.plans. COMMAND of a move is -2 where it has none. */
const MOVE = {
  COMMAND: 0,
  DEVICE: 1,
  HOME: 2,
  MEMORY: 3,
  BYTES: 4,
  WHY: 5,
  BEGIN: 6,
  END: 7
};
const WHY = ["needed by it", "for a native command", "to make room", "read by the program"];
const CALL = {
  NAME: 0,
  THREAD: 1,
  BEGIN: 2,
  END: 3,
  STATUS: 4
};
const PART = {
  COMMAND: 0,
  DEVICE: 1,
  FIRST: 2,
  GROUPS: 3,
  BEGIN: 4,
  END: 5,
  GROUP: 6
};
const HAZARD = ["", "RAW", "WAR", "WAW"], EDGE = ["queue", "event", "barrier", "host", "data", "path"];

/* Of a part of a trace D.numbers has the numbers of its commands in the whole. */
function number(c) { return "#" + (D.numbers ? D.numbers[c] : c); }
/* The command of the text "#12"; -1: the page has none. */
function numbered(text) {
  const m = /^#(\d+)$/.exec(text), c = !m ? -1 : D.numbers ? D.numbers.indexOf(+m[1]) : +m[1];
  return c < C.length ? c : -1;
}
function rowsOf(flat, n) {
  const rows = [];
  for (let i = 0; i < (flat || []).length; i += n) rows.push(flat.slice(i, i + n));
  return rows;
}
/* Adds to the list that `map` has for `key`. */
function put(map, key, value) {
  const list = map.get(key);
  if (list)
    list.push(value);
  else
    map.set(key, [value]);
}

const calls = (D.calls || []).map(c => Object.assign(c, {call: true}));
const moves = rowsOf(D.moves, 8).map(m => Object.assign(m, {move: true}));
const parts = rowsOf(D.parts, 7), plans = rowsOf(D.plans, 7);
const partsOf = new Map();
for (const p of parts) put(partsOf, p[PART.COMMAND], p);
const grouped = parts.some(p => p[PART.GROUP]);

const onPath = new Uint8Array(C.length);
for (const c of D.chain)
  if (c < C.length) onPath[c] = 1;

const into = new Map(), outof = new Map(); /* edges by command */
for (const [from, to, kind, hazard, size, unproven] of rowsOf(D.edges, 6)) {
  const e = {from, to, kind, hazard, bytes: size, unproven};
  put(into, to, e);
  put(outof, from, e);
}

/* ---- elements */
function setAll(e, attributes) {
  for (const [k, v] of Object.entries(attributes || {}))
    if (k === "class")
      e.className = v;
    else if (k.startsWith("on"))
      e[k] = v;
    else
      e.setAttribute(k, v);
}
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  setAll(e, attributes);
  e.append(...children);
  return e;
}
function svg(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

/* ---- values for people */
function ns(v) {
  return v < 1e3 ? Math.round(v) + " ns" :
      v < 1e6    ? (v / 1e3).toFixed(1) + " us" :
      v < 1e9    ? (v / 1e6).toFixed(2) + " ms" :
                   (v / 1e9).toFixed(2) + " s";
}
function bytes(v) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let u = 0;
  while (v >= 1024 && u < 6) {
    v /= 1024;
    u++;
  }
  return (u && v % 1 ? v.toFixed(1) : v) + " " + units[u];
}
function many(n, what) {
  return n.toLocaleString("en") + " " + what + (n === 1 ? "" : /ch$/.test(what) ? "es" : "s");
}
function percent(share) {
  return (share < .0995 ? (100 * share).toFixed(1) : Math.round(100 * share)) + " %";
}
function weight(v) { return D.timed ? ns(v) : many(v, "command"); }
/* Where commands lack times, sums and chains are those of the others. */
const least = D.timed && D.without_times ? "≥ " : "", most = v => (v ? "≤ " : "");

function deviceName(k) { return "device " + k + (D.devices[k] ? ": " + D.devices[k].name : ""); }
function queueName(q, stream) {
  return "queue " + q +
      (stream                                      ? " stream " + stream :
           D.queues[q] && D.queues[q].out_of_order ? " (out of order)" :
                                                     "");
}
