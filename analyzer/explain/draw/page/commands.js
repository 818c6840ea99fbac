/* commands.js - the table of commands, and the start: the page opens on the work. page.html#12 opens with
 * command 12 chosen. */
const TABLE_ROWS = 1000;
let sortBy = -1, down = true;

function sortKey(c) {
  return sortBy === RUN0 ? C[c][RUN1] - C[c][RUN0] :
      sortBy === CALL0   ? C[c][CALL1] - C[c][CALL0] :
                           C[c][sortBy];
}
function commandCells(c) {
  const k = C[c],
        spare = !k[KIND] ? "" :
      onPath[c]          ? crit(least ? "longest known" : "critical") :
      least              ? "not known" :
                           weight(k[SLACK]);
  return [
    link(c, number(c)), el("span", {}, keyOf(PAINT[commandPaint[c]].fill), k[NAME]), k[RANGE],
    k[QUEUE] < 0 ? "" : String(k[QUEUE]), k[RUN1] ? ns(k[RUN1] - k[RUN0]) : "–", spare,
    k[CALL1] ? ns(k[CALL1] - k[CALL0]) : "–", k[STATUS] ? crit("error " + k[STATUS]) : ""
  ];
}
function commandTable() {
  const want = $("filter").value.trim().toLowerCase(), rows = [];
  for (let c = 0; c < C.length; c++)
    if (!want || C[c][NAME].toLowerCase().includes(want) || want === number(c) ||
        want === "queue " + C[c][QUEUE])
      rows.push(c);
  if (sortBy >= 0) rows.sort((a, b) => (down ? -1 : 1) * (sortKey(a) - sortKey(b)) || a - b);
  const sort = k => () => {
    down = sortBy === k ? !down : true;
    sortBy = k;
    commandTable();
  };
  $("count").textContent = rows.length.toLocaleString("en") + " of " + many(D.total, "command") +
      (rows.length > TABLE_ROWS ? ", the first " + TABLE_ROWS.toLocaleString("en") + " shown" : "") +
      (C.length < D.total ? "; the page holds the first " + C.length.toLocaleString("en") : "");
  fill(
      $("table"),
      [
        {
          text: "id",
          sort: () => {
            sortBy = -1;
            commandTable();
          }
        },
        {text: "what"}, {text: "range"}, n("queue"), {text: "ran", n: 1, sort: sort(RUN0)},
        {text: "to spare", n: 1, sort: sort(SLACK)}, {text: "call", n: 1, sort: sort(CALL0)}, {text: ""}
      ],
      rows.slice(0, TABLE_ROWS).map(c => ({id: c, cells: commandCells(c)})), c => choose(c, true));
}
/* Marks the row of the chosen command. */
function markRow(c) {
  for (const tr of $("table").querySelectorAll("tr.chosen")) tr.className = "";
  const row = $("table").querySelector("tr[data-id=\"" + c + "\"]");
  if (row) row.className = "chosen";
}

/* ---- the start */
function toggles() {
  $("bylabel").hidden = !grouped;
  if (grouped) $("by").value = "group";
  $("rowsby").onchange = $("showplan").onchange = $("showcounts").onchange = rebuild;
  $("by").onchange = () => {
    legend();
    rebuild();
  };
  $("onlypath").onchange = dim;
  $("in").onclick = () => zoom(.6);
  $("out").onclick = () => zoom(1.6);
  $("back").onclick = lookBack;
  $("work").onclick = lookAtWork;
  $("fit").onclick = lookAtAll;
  $("help").onclick = showHelp;
  for (const b of document.querySelectorAll("[data-mode]")) b.onclick = () => setMode(b.dataset.mode);
  $("filter").oninput = commandTable;
  onresize = redraw;
  matchMedia("(prefers-color-scheme: dark)").onchange = () => {
    readColours();
    overview.stale = true;
    redraw();
  };
}
/* The picture of the graph: a press on a command's node, which has its number, chooses it. */
function graphPicture() {
  if (!$("graph").querySelector("svg")) return;
  const picture = $("graph").querySelector("svg"),
        small = picture.clientWidth < .4 * picture.viewBox.baseVal.width;
  const size = () => $("graph").classList.toggle("actual", $("graphsize").checked);
  $("graphbar").hidden = false;
  $("graphsize").checked = small || picture.clientHeight < .4 * picture.viewBox.baseVal.height;
  $("graphsize").onchange = size;
  size();
  $("graph").onclick = e => {
    const node = e.target.closest(".node"), text = node && /#\d+/.exec(node.textContent);
    const c = text ? numbered(text[0]) : -1;
    if (c < 0) return;
    choose(c, true);
    $("timebox").scrollIntoView();
  };
}
if (!$("graph").querySelector("svg") && !$("graph").textContent.trim())
  $("graph").append(el("p", {class: "soft"}, "No picture: there is nothing to draw, or it was left out."));
toggles();
graphPicture();
setMode("zoom");
readColours();
legend();
rebuild();
look(...workRange());
commandTable();
if (numbered(location.hash) >= 0) choose(numbered(location.hash), true);
