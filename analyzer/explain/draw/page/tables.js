/* tables.js - kernels, kinds of command, calls, failures, objects that were kept, the critical path. */
const n = text => ({text, n: true}); /* the head of a column of numbers */

/* heads: {text, n, sort}; rows: {cells, id}. A row with an id can be chosen. */
function fill(box, heads, rows, onclick) {
  if (!rows.length) return box.replaceChildren(el("p", {class: "soft"}, "None."));
  const body = el("tbody", {}), head = el("tr", {});
  for (const r of rows) {
    const tr =
        el("tr",
           r.id === undefined ? {} : {onclick: () => onclick(r.id), class: r.id === chosen ? "chosen" : ""});
    r.cells.forEach((v, i) => tr.append(el("td", heads[i].n ? {class: "n"} : {}, v)));
    if (r.id !== undefined) tr.dataset.id = r.id;
    body.append(tr);
  }
  for (const h of heads) {
    const th = el("th", {class: (h.n ? "n " : "") + (h.sort ? "sort" : ""), scope: "col"}, h.text);
    if (h.sort)
      setAll(th, {
        onclick: h.sort,
        tabindex: 0,
        onkeydown: e => {
          if (e.key === "Enter") h.sort();
        }
      });
    head.append(th);
  }
  box.replaceChildren(el("table", {}, el("thead", {}, head), body));
}
function shareBar(width, share) {
  return el("span", {class: "share", style: "width:" + Math.round(width * share) + "px"});
}
function crit(text) { return el("span", {class: "crit"}, text); }

function kindsTable() {
  const heads = [
    {text: "what"}, n("commands"), n("device time"), {text: "share"}, n("mean"), n("reads"), n("writes"),
    n("failed")
  ];
  fill(
      $("kinds"), heads,
      D.rows.map(r => ({
                   cells: [
                     el("span", {}, keyOf(PAINT[paintOfName(r.name, r.kernel)].fill), r.name),
                     r.commands.toLocaleString("en"), r.device_ns ? ns(r.device_ns) : "–",
                     D.device_ns ? shareBar(160, r.device_ns / D.device_ns) : "",
                     r.device_ns ? ns(Math.round(r.device_ns / r.timed)) : "–",
                     r.reads ? most(r.at_most) + bytes(r.reads) : "–",
                     r.writes ? most(r.at_most) + bytes(r.writes) : "–", r.failed || ""
                   ]
                 })));
}
function spreadCells(r, scale) {
  if (!r.timed) return ["–", "", "–", "–", "–", "–"];
  return [
    ns(r.sum), shareBar(160, Math.min(1, r.sum / scale)), ns(r.min), ns(r.median), ns(r.p95), ns(r.max)
  ];
}
function callTables() {
  if (D.functions && D.functions.length) {
    $("callsection").hidden = false;
    fill(
        $("functions"),
        [
          {text: "function"}, n("calls"), n("failed"), n("total"), {text: "share of the run"}, n("min"),
          n("median"), n("95 %"), n("max")
        ],
        D.functions.map(
            r => ({
              cells: [
                r.name, r.calls.toLocaleString("en"), r.failed ? crit(r.failed.toLocaleString("en")) : "",
                ...spreadCells(r, D.phases_ns || r.sum)
              ]
            })));
    $("callnote").textContent = D.all_calls ?
        "" :
        "Not all calls are recorded: of functions that are quick and may be " +
            "called often only those that failed (clweave trace --calls records all).";
  }
  if (D.failures && D.failures.length) {
    $("failsection").hidden = false;
    const first = r => [r.argument !== undefined && "argument " + r.argument,
                        r.kernel !== undefined && "kernel " + r.kernel,
                        r.program !== undefined && "program " + r.program]
                           .filter(Boolean)
                           .join(", ");
    fill(
        $("failures"),
        [{text: "function"}, n("calls"), {text: "error"}, {text: "first for"}, {text: "called at"}],
        D.failures.map(
            r => ({cells: [r.name, r.calls.toLocaleString("en"), crit(r.error), first(r), r.at || ""]})));
  }
}
function leakTable() {
  if (D.leaks && D.leaks.length) {
    $("leaksection").hidden = false;
    fill(
        $("leaks"), [{text: "kind"}, n("made"), n("kept"), n("bytes kept"), {text: "most were made at"}],
        D.leaks.filter(r => r.made).map(r => ({
                                          cells: [
                                            r.kind, r.made.toLocaleString("en"),
                                            r.kept ? crit(r.kept.toLocaleString("en")) : "0",
                                            r.bytes ? bytes(r.bytes) : "–", r.at || ""
                                          ]
                                        })));
    $("leaknote").textContent =
        "Made: recorded by this trace. Kept: not released when the program ended by itself." +
        (D.unused_events ?
             " " + many(D.unused_events, "event") + " the program asked for and neither waited for nor " +
                 "asked about." :
             "");
  }
  if (D.build_logs && D.build_logs.length) {
    $("logsection").hidden = false;
    for (const l of D.build_logs)
      $("logs").append(
          el("div", {}, el("b", {}, "Program " + l.program)), el("div", {class: "log mono"}, l.text));
  }
}

/* ---- kernels: times and rates, by kernel and by NDRange */
function histogram(r) {
  const W = 132, H = 22, tallest = Math.max(1, ...r.bins), w = W / (r.bins.length || 1);
  const edge = k => ns(Math.round(r.min * Math.pow(r.max / r.min, k / r.bins.length)));
  const picture = svg("svg", {
    viewBox: "0 0 " + W + " " + (H + 1),
    width: W,
    height: H + 1,
    role: "img",
    "aria-label": "launches by their time"
  });
  r.bins.forEach((v, k) => {
    if (!v) return;
    const h = Math.max(1, H * v / tallest),
          times = r.max > r.min ? edge(k) + " to " + edge(k + 1) : ns(r.min);
    const bar = svg("rect", {x: k * w, y: H - h, width: Math.max(1, w - 1), height: h, fill: "var(--mark)"});
    picture.append(titled(bar, many(v, "launch") + " of " + times));
  });
  picture.append(svg("path", {d: "M0 " + (H + .5) + "H" + W, stroke: "currentColor", "stroke-opacity": .25}));
  return picture;
}
function giga(m, before) {
  return m ? (before || "") + (m / 1000).toFixed(m < 9995 ? 2 : m < 99950 ? 1 : 0) : "–";
}
function kernelCells(r, name, flops) {
  const times = r.timed ?
      [ns(r.sum), ns(r.min), ns(r.median), ns(r.p95), ns(r.max), histogram(r), giga(r.mbps, "≤ ")] :
      ["–", "–", "–", "–", "–", "", "–"];
  return {
    cells: [
      name, r.launches.toLocaleString("en"), r.failed ? crit(String(r.failed)) : "",
      shareBar(80, r.sum / D.kernels_ns), ...times, ...(flops ? [giga(r.mflops)] : [])
    ]
  };
}
function kernelTable() {
  if (!D.kernels || !D.kernels_ns) return;
  const flops = D.kernels.some(r => r.mflops), rows = [];
  for (const r of D.kernels) {
    const name = el("span", {}, kernelKey(r.name), el("b", {}, r.name)),
          more = r.range_count - r.ranges.length;
    rows.push(kernelCells(r, name, flops));
    if (r.range_count > 1)
      for (const v of r.ranges)
        rows.push(kernelCells(v, el("span", {class: "soft"}, "\u2003" + v.name), flops));
    else if (r.ranges.length)
      name.append(el("span", {class: "soft"}, "  " + r.ranges[0].name));
    if (more > 0)
      rows.push({
        cells: [
          el("span", {class: "soft"}, "\u2003and " + many(more, "more NDRange")),
          ...Array(flops ? 11 : 10).fill("")
        ]
      });
  }
  $("kernelsection").hidden = false;
  fill(
      $("kernels"),
      [
        {text: "kernel, NDRange"}, n("launches"), n("failed"), {text: "share"}, n("total"), n("min"),
        n("median"), n("95 %"), n("max"), {text: "launches by time (log)"}, n("GB/s"),
        ...(flops ? [n("GFLOP/s")] : [])
      ],
      rows);
  $("kernelnote").textContent =
      "GB/s: bytes that the launches may read and write, by their footprints, over their time; " +
      "at most that, and none where it is more than the device's cores could load." +
      (flops ? " GFLOP/s: by models of the kernels' sources." : "");
}

function pathTable() {
  const chain = D.chain.filter(c => c < C.length), byName = new Map();
  for (const c of chain) {
    const v = byName.get(C[c][NAME]) || byName.set(C[c][NAME], {count: 0, ns: 0, first: c}).get(C[c][NAME]);
    v.count++;
    v.ns += D.timed && C[c][KIND] ? C[c][RUN1] - C[c][RUN0] : 0;
  }
  const what = D.timed ? "Critical path: " : "Longest chain: ";
  $("pathhead").textContent =
      what + least + weight(D.path_length) + " of " + least + weight(D.timed ? D.busy_ns : D.work);
  fill(
      $("path"), [{text: "what"}, n("commands on it"), n("their device time"), {text: "first"}],
      [...byName]
          .sort((a, b) => b[1].ns - a[1].ns || b[1].count - a[1].count)
          .map(([name, v]) => ({
                 cells: [
                   el("span", {}, keyOf(PAINT[commandPaint[v.first]].fill), name),
                   v.count.toLocaleString("en"), v.ns ? ns(v.ns) : "–", link(v.first, number(v.first))
                 ]
               })));
}
kernelTable();
kindsTable();
callTables();
leakTable();
pathTable();
