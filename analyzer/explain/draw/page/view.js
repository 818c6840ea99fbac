/* view.js - which part of the run the timeline shows, what is chosen and selected, and what is dimmed. */
const [t0, t1] = timeRange();
const NARROWEST = 50; /* ns across the timeline */
const view = {
  begin: t0,
  end: t1
};
const views = []; /* the ones before, for "back" */
let chosen = -1;
/* {begin, end, first, last}: a range of time, and of rows; null: none. box: the one that is being dragged. */
let selection = null, box = null;
let onFrame = 0;

/* Paints in the next frame, once however often it is asked for. */
function redraw() {
  if (!onFrame)
    onFrame = requestAnimationFrame(() => {
      onFrame = 0;
      paint();
    });
}
function look(begin, end) {
  const width = Math.min(Math.max(end - begin, NARROWEST), Math.max(t1 - t0, NARROWEST));
  const middle = (begin + end) / 2;
  view.begin = Math.max(t0, Math.min(middle - width / 2, t1 - width));
  view.end = view.begin + width;
  redraw();
  sumSoon();
}
/* The same, and "back" leads to what is seen now. */
function lookNew(begin, end) {
  views.push([view.begin, view.end]);
  if (views.length > 100) views.shift();
  look(begin, end);
}
function lookBack() {
  const v = views.pop();
  if (v) look(v[0], v[1]);
}
function lookAtAll() { lookNew(t0, t1); }
function lookAtWork() { lookNew(...workRange()); }
function pan(share) {
  const by = (view.end - view.begin) * share;
  look(view.begin + by, view.end + by);
}
/* Makes the view `factor` times as wide; `middle` stays where it is. */
function zoom(factor, middle) {
  const m = middle === undefined ? (view.begin + view.end) / 2 : middle, width = view.end - view.begin;
  const wanted = Math.min(Math.max(width * factor, NARROWEST), Math.max(t1 - t0, NARROWEST));
  const begin = m - (m - view.begin) / width * wanted;
  look(begin, begin + wanted);
}
/* What is selected, or else the chosen command, fills the view. */
function lookAtChosen() {
  if (selection) return lookNew(selection.begin, selection.end);
  const k = C[chosen];
  if (!k) return;
  const [a, b] = k[RUN1] ? [k[RUN0], k[RUN1]] : [k[CALL0], k[CALL1]];
  lookNew(a - (b - a), b + (b - a));
}
/* Moves the view, not its width, so that command `c` is in it. */
function bringIntoView(c) {
  const k = C[c], begin = k[RUN1] ? k[RUN0] : k[CALL0], end = k[RUN1] || k[CALL1];
  if (!end || (begin >= view.begin && end <= view.end)) return;
  const half = (view.end - view.begin) / 2, middle = (begin + Math.min(end, begin + half)) / 2;
  lookNew(middle - half, middle + half);
}

/* ---- what is dimmed: all but what is searched for, what the legend's pressed keys name, the critical path
 */
const alone = new Set(); /* names that the legend has pressed */
let wanted = null;       /* what is searched for: a function of (command, more), or null */
function isDim(c, more) {
  if (wanted && !wanted(c, more)) return 1;
  if (alone.size && !alone.has(itemName(c, more))) return 1;
  return $("onlypath").checked && !(c >= 0 && !(more && more.move) && onPath[c]) ? 1 : 0;
}
function dimmed() { return wanted || alone.size || $("onlypath").checked; }
function dim() {
  const any = dimmed();
  for (const l of lanes)
    for (let i = 0; i < l.n; i++) l.dim[i] = any ? isDim(l.command[i], l.more[i]) : 0;
  sumSoon();
  redraw();
}
/* Rows or colours are others now. */
function rebuild() {
  buildLanes();
  $("planlabel").hidden = !plans.length || $("rowsby").value === "kernel";
  selection = null;
  dim();
  overview.stale = true;
  sumSoon();
}
