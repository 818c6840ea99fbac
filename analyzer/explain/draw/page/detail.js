/* detail.js - the chosen command, and what the pointer shows. */
function words(c) {
  const k = C[c], text = [number(c) + " " + k[NAME] + (k[RANGE] ? "  " + k[RANGE] : "")];
  if (k[RUN1]) text.push("ran " + ns(k[RUN1] - k[RUN0]) + " from " + ns(Math.max(0, k[RUN0] - t0)));
  if (k[CALL1]) text.push("call took " + ns(k[CALL1] - k[CALL0]));
  if (k[STAGED]) text.push(bytes(k[STAGED]) + " staged");
  if (k[STATUS]) text.push("error " + k[STATUS]);
  return text.join("\n");
}
function callWords(k) {
  return k[CALL.NAME] + "\n" +
      (k[CALL.END] > k[CALL.BEGIN] ? "call took " + ns(k[CALL.END] - k[CALL.BEGIN]) : "") +
      (k[CALL.STATUS] ? " error " + k[CALL.STATUS] : "");
}
function moveWords(m) {
  return bytes(m[MOVE.BYTES]) + " of buffer " + (m[MOVE.MEMORY] < 0 ? "(released)" : m[MOVE.MEMORY]) +
      (m[MOVE.HOME] ? " from" : " to") + " device " + m[MOVE.DEVICE] + ", " + WHY[m[MOVE.WHY]] + ", " +
      ns(m[MOVE.END] - m[MOVE.BEGIN]);
}
function partWords(p, planned) {
  const last = p[PART.FIRST] + p[PART.GROUPS] - 1;
  return (planned ? "planned" : "part") +
      (p[PART.GROUPS] ? ": work-groups " + p[PART.FIRST] + " to " + last : "") + ", " +
      ns(p[PART.END] - p[PART.BEGIN]) + " on device " + p[PART.DEVICE] +
      (p[PART.GROUP] ? ", priority group " + p[PART.GROUP] : "");
}
function tipText({lane: l, item, time}) {
  if (l.type === "count") return counterText(l, time);
  const c = l.command[item], more = l.more[item];
  const about = !more ? "" :
      more.call       ? callWords(more) :
      more.move       ? moveWords(more) :
                        partWords(more, l.type === "plan");
  return [c >= 0 && words(c), about].filter(Boolean).join("\n");
}

/* ---- choosing */
function link(c, text) {
  return el(
      "a", {
        tabindex: 0,
        role: "button",
        onclick: () => choose(c, true),
        onkeydown: e => {
          if (e.key === "Enter") choose(c, true);
        }
      },
      text);
}
/* Whether the bytes of an edge are those that both commands may touch, not those that they do. */
function isBound(e) {
  return [e.from, e.to].some(c => C[c] && (C[c][KIND] === 2 || /MAP|MIGRATE/.test(C[c][NAME])));
}
function edgeWords(e) {
  return (e.hazard ? HAZARD[e.hazard] + (e.bytes ? " " + most(isBound(e)) + bytes(e.bytes) : "") :
                     EDGE[e.kind]) +
      (e.unproven ? ", unproven" : "");
}
/* Commands at the other ends of `list`, each once, with all its reasons. */
function edges(title, list, end) {
  const d = el("div", {}, title + " "), reasons = new Map();
  for (const e of list) put(reasons, e[end], edgeWords(e));
  if (!list.length) d.append("nothing");
  for (const [c, words] of [...reasons].slice(0, 40))
    d.append(
        link(c, number(c) + " " + (C[c] ? C[c][NAME] : "") + " (" + [...new Set(words)].join(", ") + ")"));
  if (reasons.size > 40) d.append("and " + (reasons.size - 40) + " more");
  return d;
}
function detailHead(c) {
  const k = C[c], facts = [
    k[RANGE], k[QUEUE] >= 0 && "queue " + k[QUEUE], k[STREAM] && "stream " + k[STREAM], k[STAGED] && "staged",
    k[DEVICE] >= 0 && D.devices.length > 1 && "ran on device " + k[DEVICE], "thread " + k[THREAD],
    k[RUN1] && "ran " + ns(k[RUN1] - k[RUN0])
  ].filter(Boolean).join(" · ");
  const spare = onPath[c] ?
      el("span", {class: "crit"}, least ? "on the longest chain that is known" : "on the critical path") :
      !k[KIND] ? "host" :
      least    ? "time to spare not known" :
                 weight(k[SLACK]) + " to spare";
  const head =
      el("div", {}, keyOf(PAINT[commandPaint[c]].fill), el("b", {}, number(c) + " " + k[NAME] + " "),
         facts + " · ", spare);
  if (k[STATUS]) head.append(el("span", {class: "crit"}, " · error " + k[STATUS]));
  return head;
}
function choose(c, show) {
  chosen = c;
  const d = $("detail");
  d.textContent = "";
  if (c < 0)
    d.textContent = "No command is chosen.";
  else {
    d.append(
        detailHead(c), edges("Waits for:", into.get(c) || [], "from"),
        edges("Held by it:", outof.get(c) || [], "to"));
    if (show) {
      bringIntoView(c);
      scrollToRow(c);
    }
    history.replaceState(null, "", number(c));
  }
  redraw();
  markRow(c);
}
/* Scrolls so that a row that has command `c` is seen; rows of devices before those of hosts. */
function scrollToRow(c) {
  let row = -1;
  lanes.forEach((l, n) => {
    if ((row < 0 || l.type !== "host") && l.type !== "plan" && l.command.includes(c)) row = n;
  });
  if (row < 0) return;
  const box = $("rows"), y = lanes[row].y;
  if (y - layout.head >= box.scrollTop + TOP && y + layout.row <= box.scrollTop + layout.height) return;
  box.scrollTop = y - layout.height / 2;
}
/* The command of the same row before or behind the chosen one. */
function nextItem(by) {
  for (const l of lanes) {
    const i = l.type === "host" && lanes.length > 1 ? -1 : l.command.indexOf(chosen);
    if (i < 0 || l.type === "plan") continue;
    for (let k = i + by; k >= 0 && k < l.n; k += by)
      if (l.command[k] >= 0 && l.command[k] !== chosen) return choose(l.command[k], true);
  }
}

/* ---- keys */
const HELP = [
  ["W S", "zoom in and out, at the mouse"],
  ["A D", "move to the left and to the right"],
  ["drag", "zoom into a box; what dragging does: 1 select, 2 move, 3 zoom"],
  ["Shift+drag", "select: sums of it stand below"],
  ["Alt+drag, middle button", "move"],
  ["Ctrl+wheel", "zoom; Shift+wheel moves"],
  ["one finger, two fingers", "move, zoom"],
  ["click", "what a command waits for, and what waits for it"],
  ["[ ]", "the command before or behind it in its row"],
  ["F", "zoom to the selection, or to the chosen command"],
  ["H", "the work: without builds and first launches"],
  ["0", "all of the run"],
  ["Backspace", "the view before"],
  ["K", "rows by kernel, or by device and queue"],
  ["/", "search: a part of a name, #12, queue 1, device 2"],
  ["Enter, N, Shift+Enter, P", "the next one found, the one before"],
  ["Esc", "clears the selection, the search, the choice"],
  ["?", "this"],
];
function showHelp() {
  const dialog = $("keys");
  dialog.replaceChildren(
      el("h2", {id: "keyshead"}, "Keys and mouse"),
      el("table", {},
         el("tbody", {},
            ...HELP.map(
                ([keys, text]) =>
                    el("tr", {},
                       el("td", {}, ...keys.split(/(?<=,) /).map(k => el("kbd", {}, k.replace(",", "")))),
                       el("td", {}, text))))),
      el("p", {class: "soft"}, "What is narrower than a pixel is as high as its share of the time."),
      el("button", {autofocus: "", onclick: () => dialog.close()}, "close"));
  dialog.showModal();
}
