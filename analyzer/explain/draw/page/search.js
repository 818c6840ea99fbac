/* search.js - the search field, and the legend, whose keys show kernels alone. */
let found = [];   /* commands that are searched for, in order of their time */
let foundAt = -1; /* the one of them that was gone to */

/* #12, "queue 1", "device 2", or a part of a name. */
function searchFor(text) {
  const what = text.trim().toLowerCase(), place = /^(queue|device|thread) (\d+)$/.exec(what);
  if (!what) return null;
  if (/^#\d+$/.test(what)) {
    const one = numbered(what);
    return c => c === one;
  }
  if (place) {
    const column = {queue: QUEUE, device: DEVICE, thread: THREAD}[place[1]];
    return (c, more) =>
               more && more[PART.DEVICE] !== undefined && !more.call && !more.move && column === DEVICE ?
        more[PART.DEVICE] === +place[2] :
        c >= 0 && C[c][column] === +place[2];
  }
  return (c, more) => itemName(c, more).toLowerCase().includes(what);
}
function search() {
  wanted = searchFor($("find").value);
  found = [];
  if (wanted)
    for (let c = 0; c < C.length; c++)
      if (wanted(c, null)) found.push(c);
  found.sort((a, b) => (C[a][RUN0] || C[a][CALL0]) - (C[b][RUN0] || C[b][CALL0]) || a - b);
  foundAt = -1;
  sayFound();
  dim();
}
function sayFound() {
  const others = wanted ? calls.filter(c => wanted(-2, c)).length : 0,
        at = foundAt < 0 ? "" : (foundAt + 1) + " of ";
  $("found").textContent =
      wanted ? at + found.length + " found" + (others ? ", " + many(others, "call") : "") : "";
}
function nextFound(by) {
  if (!found.length) return;
  foundAt = foundAt < 0 ? (by > 0 ? 0 : found.length - 1) : (foundAt + by + found.length) % found.length;
  choose(found[foundAt], true);
  sayFound();
}
function clearSearch() {
  $("find").value = "";
  alone.clear();
  for (const b of $("legend").querySelectorAll("button")) b.setAttribute("aria-pressed", false);
  search();
}
$("find").oninput = search;
$("find").onkeydown = e => {
  if (e.key === "Enter")
    nextFound(e.shiftKey ? -1 : 1);
  else if (e.key === "Escape") {
    clearSearch();
    canvas.focus({preventScroll: true});
  } else
    return;
  e.preventDefault();
};

/* ---- the legend: names by the time of their commands */
const LEGEND = 40;
function legendButton(name, fill) {
  return el(
      "button", {
        "aria-pressed": false,
        title: name,
        onclick: e => {
          if (!alone.delete(name)) alone.add(name);
          e.currentTarget.setAttribute("aria-pressed", alone.has(name));
          dim();
        },
      },
      keyOf(fill), el("span", {}, name));
}
function groupLegend() {
  const groups = [...new Set(parts.map(p => p[PART.GROUP]))].filter(Boolean).sort((a, b) => a - b);
  return groups.slice(0, LEGEND).map(k => el("span", {}, keyOf(shade(k - 1)), "group " + k));
}
function legend() {
  const time = new Map();
  C.forEach((c, i) => {
    if (!c[KIND]) return;
    const v = time.get(c[NAME]) ||
        time.set(c[NAME], {ns: 0, fill: PAINT[commandPaint[i]].fill, kernel: c[KIND] === 2}).get(c[NAME]);
    v.ns += c[RUN1] - c[RUN0];
  });
  const names = [...time].sort((a, b) => b[1].kernel - a[1].kernel || b[1].ns - a[1].ns);
  const made = names.slice(0, LEGEND).map(([name, v]) => legendButton(name, v.fill));
  if ($("by").value === "group") made.splice(0, made.length, ...groupLegend());
  if (names.length > LEGEND)
    made.push(el("span", {class: "soft"}, "and " + (names.length - LEGEND) + " more"));
  if (calls.some(c => paintOf(-2, c) === PAINT_BUILD)) made.push(el("span", {}, keyOf(BUILD.fill), "build"));
  if (calls.length) made.push(el("span", {}, keyOf(PAINT[PAINT_HOST].fill), "other calls"));
  for (const why of new Set(moves.map(m => m[MOVE.WHY])))
    made.push(el("span", {}, keyOf(PAINT[PAINT_MOVE + why].fill), PAINT[PAINT_MOVE + why].name));
  $("legend").replaceChildren(...made);
}
