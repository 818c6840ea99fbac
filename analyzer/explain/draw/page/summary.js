/* summary.js - the head of the page: program, cards, findings, time by phase. */
const base = (D.program || "?").replace(/.*\//, "");

function card(value, what) {
  $("cards").append(el("div", {class: "card"}, el("b", {}, value), el("span", {}, what)));
}
function cards() {
  card(D.enqueues.toLocaleString("en"), D.enqueues === 1 ? "command enqueued" : "commands enqueued");
  if (D.span_ns) card(ns(D.span_ns), "from the first command to the end of the last");
  if (D.timed) {
    const without = "device time; " + many(D.without_times, "command") + " without times";
    card(least + ns(D.device_ns), least ? without : "device time of all commands");
  }
  card(least + weight(D.path_length), D.timed ? "critical path" : "on the longest chain");
  if (D.timed && !least)
    card(
        (D.path_length ? Math.max(1, D.busy_ns / D.path_length) : 1).toFixed(2) + "×",
        "most that more devices can gain");
  if (D.phases_ns)
    card(percent(D.waited_ns / D.phases_ns), "of the run (" + ns(D.phases_ns) + ") the host waits");
  card(most(D.host_bytes && D.host_bytes_at_most) + bytes(D.host_bytes), "between host and devices");
  if (D.streamed)
    card(D.streams.toLocaleString("en"), "streams; " + many(D.streamed, "command") + " on them");
  if (moves.length) {
    const copied = moves.reduce((s, m) => s + m[MOVE.BYTES], 0);
    card(bytes(copied), "copied between memories; commands waited " + ns(D.moves_waited_ns) + " for it");
  }
  if (D.staged_bytes) card(bytes(D.staged_bytes), "staged through pinned memory");
}
function findings() {
  for (const f of D.findings) {
    const text = f.text.split("`").map((t, i) => i % 2 ? el("code", {}, t) : t);
    $("findings").append(el("div", {class: "finding " + f.kind}, el("b", {}, f.title), ...text));
  }
  if (!D.findings.length) $("findings").append(el("p", {class: "soft"}, "Nothing."));
}

const PHASE = {
  "set-up": "#7a8594",
  "build": BUILD.fill,
  "first launches": "#c77b2b",
  "kernels": "#3d78b4",
  "transfers": "#5a9a47",
  "waiting": "#9a7d00",
  "other calls": "#674ea7",
  "host": "#b9c1cc",
};
function phases() {
  if (!D.phases_ns) return;
  $("phasesection").hidden = false;
  for (const p of D.phases) {
    if (!p.ns) continue;
    const share = p.ns / D.phases_ns, text = p.name + " " + percent(share) + " (" + ns(p.ns) + ")";
    $("phases").append(
        el("i", {style: "width:" + (100 * share).toFixed(3) + "%;background:" + PHASE[p.name], title: text}));
    if (share >= .0005)
      $("phaselegend").append(el("span", {}, el("i", {style: "background:" + PHASE[p.name]}), text));
  }
  $("phasenote").textContent = "Of " + ns(D.phases_ns) +
      " from the first call to the end, each moment counted once: " +
      "kernels before transfers, builds, first launches, set-up, waiting." +
      (D.no_device_times ?
           " Kernels and transfers have no times here: waiting and other calls are also for them" +
               " (--device-times)." :
           "") +
      (D.cpu_ns ? " Processor time of all threads, user and system: " + ns(D.cpu_ns) + "." : "") +
      (D.no_calls ? " The trace does not have set-up and builds: they count as the host's." : "");
}

document.title = base + " – clweave report";
$("program").textContent = base;
$("command").textContent = D.command || D.program || "";
$("when").textContent = [
  D.host, D.pid && "process " + D.pid, D.dropped && many(D.dropped, "older command") + " dropped",
  D.selection && D.total + " of " + many(D.whole_commands, "command") + ": " + D.selection,
  D.when_ms && new Date(D.when_ms).toISOString().replace("T", " ").slice(0, 19) + " UTC"
].filter(Boolean).join(" · ");
cards();
findings();
phases();
