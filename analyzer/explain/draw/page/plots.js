/* plots.js - cut launches (what each device got, in blocks of how many work-groups) and chains that ran in
 * priority groups. */
const PLOTS = 24, CHAINS = 12;

function axisText(x, y, anchor, text) { return svg("text", {x, y, "text-anchor": anchor}, text); }
function titled(shape, text) {
  shape.append(svg("title", {}, text));
  return shape;
}

/* Where things are in a plot of cut launches: shares above, blocks below. */
const CUT = {
  W: 560,
  L: 44,
  R: 8,
  SHARES: 90,
  GAP: 26,
  BLOCKS: 60,
  TOP: 6,
  COLUMNS: 120,
  DOTS: 40
};
CUT.MIDDLE = CUT.TOP + CUT.SHARES;
CUT.BOTTOM = CUT.MIDDLE + CUT.GAP + CUT.BLOCKS;

/* The launches [from, to) as one column of shares. */
function cutColumn(picture, launches, from, to, x, cell, used) {
  const sum = new Map();
  let all = 0, y = CUT.MIDDLE;
  for (const [, list] of launches.slice(from, to))
    for (const p of list) {
      sum.set(p[PART.DEVICE], (sum.get(p[PART.DEVICE]) || 0) + p[PART.GROUPS]);
      all += p[PART.GROUPS];
    }
  for (const d of used) {
    const share = (sum.get(d) || 0) / (all || 1);
    if (!share) continue;
    y -= CUT.SHARES * share;
    const width = Math.max(.5, cell - (cell > 4 ? 1 : 0)),
          bar = {x, y, width, height: CUT.SHARES * share, fill: shade(d)};
    const which = "launch " + (from + 1) + (to > from + 1 ? " to " + to : "");
    picture.append(titled(svg("rect", bar), which + ": " + (100 * share).toFixed(1) + " % on device " + d));
  }
}
function cutDots(picture, list, x, yOfBlock) {
  const every = Math.ceil(list.length / CUT.DOTS);
  for (const p of every > 1 ? list.filter((v, i) => i % every === 0) : list)
    picture.append(svg("circle", {
      cx: x,
      cy: yOfBlock(Math.max(1, p[PART.GROUPS])),
      r: 2,
      fill: shade(p[PART.DEVICE]),
      "fill-opacity": .7
    }));
}
function cutAxes(picture, launches, largest, yOfBlock) {
  const right = CUT.W - CUT.R, several = launches.length > 1;
  picture.append(
      axisText(CUT.L - 5, CUT.TOP + 9, "end", "100 %"), axisText(CUT.L - 5, CUT.MIDDLE, "end", "0"),
      axisText(CUT.L - 5, yOfBlock(largest) + 9, "end", String(largest)),
      axisText(CUT.L - 5, yOfBlock(1), "end", "1"),
      axisText(CUT.L, CUT.MIDDLE + CUT.GAP - 8, "start", "work-groups of each block"),
      axisText(CUT.L, CUT.BOTTOM + 15, "start", several ? "first cut launch" : "the cut launch"),
      axisText(right, CUT.BOTTOM + 15, "end", several ? "launch " + launches.length : ""));
  const line = y => "M" + CUT.L + " " + (y + .5) + "H" + right;
  picture.append(
      svg("path", {d: line(CUT.MIDDLE) + line(CUT.BOTTOM), stroke: "currentColor", "stroke-opacity": .25}));
}
/* launches: [[command, parts]] in the order of their start; a column is the mean of what falls into it. */
function cutPlot(name, launches, used) {
  const picture = svg("svg", {
    viewBox: "0 0 " + CUT.W + " " + (CUT.BOTTOM + 20),
    role: "img",
    "aria-label": "shares and blocks of " + name
  });
  const columns = Math.min(launches.length, CUT.COLUMNS), cell = (CUT.W - CUT.L - CUT.R) / columns;
  let largest = 1;
  for (const [, list] of launches)
    for (const p of list) largest = Math.max(largest, p[PART.GROUPS]);
  const yOfBlock = v => CUT.BOTTOM - CUT.BLOCKS * Math.log2(v) / Math.max(1, Math.log2(largest));
  for (let k = 0; k < columns; k++) {
    const from = Math.floor(k * launches.length / columns),
          end = Math.floor((k + 1) * launches.length / columns);
    const to = Math.max(from + 1, end);
    cutColumn(picture, launches, from, to, CUT.L + k * cell, cell, used);
    for (const [, list] of launches.slice(from, to))
      cutDots(picture, list, CUT.L + (k + .5) * cell, yOfBlock);
  }
  cutAxes(picture, launches, largest, yOfBlock);
  return el(
      "figure", {class: "box"},
      el("figcaption", {}, kernelKey(name), el("b", {}, name), " · " + many(launches.length, "cut launch")),
      picture);
}
function cutPlots() {
  const byKernel = new Map();
  const used = [...new Set(parts.filter(p => !p[PART.GROUP]).map(p => p[PART.DEVICE]))].sort((a, b) => a - b);
  for (const [c, list] of partsOf)
    if (!list[0][PART.GROUP])
      put(byKernel, C[c][NAME], [c, list.sort((a, b) => a[PART.FIRST] - b[PART.FIRST])]);
  if (!byKernel.size) return;
  $("cutsection").hidden = false;
  $("cuthead").append(
      "Share of the work-groups by device, launch by launch, and below it the sizes of the blocks.",
      el("span", {class: "legend"}, ...used.map(d => el("span", {}, keyOf(shade(d)), deviceName(d)))));
  for (const [name, launches] of [...byKernel].sort((a, b) => b[1].length - a[1].length).slice(0, PLOTS))
    $("cuts").append(
        cutPlot(name, launches.sort((a, b) => C[a[0]][RUN0] - C[b[0]][RUN0] || a[0] - b[0]), used));
}

function chainRow(picture, c, list, y, height, plot) {
  const width = Math.max(...list.map(p => p[PART.FIRST] + p[PART.GROUPS])),
        scale = (plot.W - plot.L - plot.R) / width;
  for (const p of list)
    picture.append(titled(
        svg("rect", {
          x: plot.L + scale * p[PART.FIRST],
          y,
          width: Math.max(.3, scale * p[PART.GROUPS] - .4),
          height: height - .6,
          fill: shade(p[PART.GROUP] - 1)
        }),
        number(c) + " " + C[c][NAME] + "\n" + partWords(p)));
}
function chainPlot(rows, number) {
  const plot = {W: 560, L: 8, R: 150}, height = Math.max(4, Math.min(18, 320 / rows.length));
  const picture = svg("svg", {
    viewBox: "0 0 " + plot.W + " " + (rows.length * height + 8),
    role: "img",
    "aria-label": "tiles of chain " + number
  });
  rows.forEach(([c, list], k) => {
    const y = 4 + k * height, name = C[c][NAME];
    chainRow(picture, c, list, y, height, plot);
    if (height >= 10 || k % Math.ceil(11 / height) === 0)
      picture.append(axisText(
          plot.W - plot.R + 6, y + Math.min(height, 11) - 1, "start",
          number(c) + " " + (name.length > 15 ? name.slice(0, 14) + "…" : name)));
  });
  const groups = new Set(rows.flatMap(([, list]) => list.map(p => p[PART.GROUP])));
  return el(
      "figure", {class: "box"},
      el("figcaption", {}, el("b", {}, "Chain " + number),
         " · " + many(rows.length, "launch") + " · " +
             many(rows.reduce((s, r) => s + r[1].length, 0), "tile") + " · " + many(groups.size, "group")),
      picture);
}
function chainPlots() {
  const launches = [...partsOf].filter(([, list]) => list[0][PART.GROUP]).sort((a, b) => a[0] - b[0]),
        runs = [];
  for (const [c, list] of launches) { /* launches of one run share groups with the one before */
    const groups = list.map(p => p[PART.GROUP]), low = Math.min(...groups), high = Math.max(...groups);
    const last = runs[runs.length - 1];
    if (last && low <= last.high) {
      last.rows.push([c, list]);
      last.high = Math.max(last.high, high);
    } else
      runs.push({rows: [[c, list]], high});
  }
  if (!runs.length) return;
  $("chainsection").hidden = false;
  runs.slice(0, CHAINS).forEach((r, k) => $("chains").append(chainPlot(r.rows, k + 1)));
  if (runs.length > CHAINS)
    $("chains").append(el("p", {class: "soft"}, "and " + many(runs.length - CHAINS, "more chain")));
}
cutPlots();
chainPlots();
