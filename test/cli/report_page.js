// report_page.js - opens pages of `clweave report` and `clweave diff` in Chromium (browser.js).
//
//   node report_page.js shown PAGE.html...          prints a line of JSON for each: its name, its cards, and for each row of the
//                                                   timeline the share of its area that is painted, from the first command to the
//                                                   end of the last one
//   node report_page.js used PAGE.html DIFF.html GRAPH.html    uses the page of report_traces.py's `page` as people do, compares it
//                                                   with that of a difference, and presses on a command in the graph of another
// Exit 0: all is as it should be. 1: says what is not.
"use strict";
const assert = require("assert"), path = require("path"), {open} = require("./browser.js");

// Runs in the page: the share of each row's bars that has a colour of PAINT. Pale columns and texts do not count.
function paintedShares() {
  const ran = C.filter(c => c[KIND] && c[RUN1]);
  if (ran.length) look(Math.min(...ran.map(c => c[RUN0])), Math.max(...ran.map(c => c[RUN1])));
  paint();
  const fills = new Set(PAINT.map(p => p.fill)), g = canvas.getContext("2d"), hex = v => v.toString(16).padStart(2, "0");
  const width = layout.width - layout.label, high = layout.bar;
  return lanes.filter(l => yOf(l) + layout.row < layout.height).map(l => {
    const d = g.getImageData(layout.label, yOf(l) + 2, width, high).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (fills.has("#" + hex(d[i]) + hex(d[i + 1]) + hex(d[i + 2]))) n++;
    return n / (width * high);
  });
}
const call = (f, ...args) => "(" + f + ")(" + args.map(a => JSON.stringify(a)).join(",") + ")";

async function shown(files) {
  const page = await open({width: 1240, height: 900});
  for (const file of files) {
    await page.show(file);
    assert.deepStrictEqual(page.errors, [], file);
    if (path.basename(file) === "diff.html") continue;
    const cards = await page.eval("[...document.querySelectorAll('.card')].map(c => [...c.children].map(e => e.textContent).join(' '))");
    const lanes = await page.eval(call(paintedShares));
    console.log(JSON.stringify({name: path.basename(file, ".html"), cards, lanes}));
  }
  await page.close();
}

// ---- used
const near = (a, b, slack, what) => assert.ok(Math.abs(a - b) <= slack, `${what}: ${a}, not ${b} (${slack} more or less)`);
const view = page => page.eval("({begin: view.begin, end: view.end})");
const wide = v => v.end - v.begin;

// The place in the window of a share of the timeline's width, and of a row.
function place(page, share, row) {
  return page.eval(call((share, row) => {
    paint();
    const r = canvas.getBoundingClientRect();
    return [r.left + layout.label + share * (layout.width - layout.label), r.top + yOf(lanes[row]) + layout.row / 2];
  }, share, row));
}
async function home(page) {
  await page.eval("$('timebox').scrollIntoView(); canvas.focus({preventScroll: true}); look(...workRange())");
  await page.frame();
  return view(page);
}

async function opensOnWork(page) {
  const v = await view(page), launches = await page.eval("C.filter(c => c[KIND] === 2 && c[RUN0] > 1.5e9).length");
  assert.strictEqual(launches, 600);
  near(v.begin, 1.9e9, 1e6, "begin of the view");
  near(v.end, 1.916e9, 1e6, "end of the view");
}
async function zooms(page) {
  const v = await home(page), [x0, y] = await place(page, .25, 1), [x1] = await place(page, .75, 1), slack = wide(v) / 200;
  await page.drag(x0, y, x1, y);
  let now = await view(page);
  near(now.begin, v.begin + wide(v) / 4, slack, "begin of the box");
  near(now.end, v.begin + wide(v) * 3 / 4, slack, "end of the box");
  await page.key("Backspace");
  near((await view(page)).begin, v.begin, 1, "the view before");
  for (const [key, test] of [["w", (n, v) => wide(n) < wide(v)], ["s", (n, v) => wide(n) > wide(v)],
    ["a", (n, v) => n.begin < v.begin],
    ["d", (n, v) => n.begin > v.begin]]) {
    await home(page);
    await page.eval("zoom(.5)");
    const v = await view(page);
    await page.key(key);
    assert.ok(test(await view(page), v), key);
  }
  await home(page);
  const [px] = await place(page, .3, 1), t = await page.eval(`timeAt(${px} - canvas.getBoundingClientRect().left)`);
  await page.wheel(px, y, 0, -120, 2);
  now = await view(page);
  assert.ok(wide(now) < wide(v), "Ctrl+wheel");
  near(now.begin + .3 * wide(now), t, slack, "the time at the pointer");
  await page.key("0");
  assert.strictEqual(await page.eval("view.begin === t0 && view.end === t1"), true, "all");
}
async function searches(page) {
  await home(page);
  await page.key("/");
  await page.type("paint");
  assert.strictEqual(await page.eval("$('found').textContent"), "300 found");
  const dims = await page.eval("lanes.every(l => l.command.every((c, i) => l.dim[i] === +(itemName(c, l.more[i]) !== 'paint')))");
  assert.ok(dims, "all but what is searched for is dim");
  await page.key("Enter");
  assert.strictEqual(await page.eval("chosen"), await page.eval("C.findIndex(c => c[NAME] === 'paint')"));
  assert.match(await page.eval("$('detail').textContent"), /paint.*Waits for:/);
  await page.key("Enter");
  assert.strictEqual(await page.eval("$('found').textContent"), "2 of 300 found");
  await page.key("Escape");
  assert.ok(await page.eval("lanes.every(l => l.dim.every(d => !d))"), "nothing is dim without a search");
}
// What a selection sums up, from the page's data.
function expected() {
  const device = lanes[selection.first].key, times = {};
  for (const c of C)
    if (c[KIND] && c[DEVICE] === device && c[RUN1] > selection.begin && c[RUN0] < selection.end)
      (times[c[NAME]] = times[c[NAME]] || []).push(c[RUN1] - c[RUN0]);
  const middle = v => (v[(v.length - 1) >> 1] + v[v.length >> 1]) / 2;
  return Object.entries(times).sort((a, b) => a[0] < b[0] ? -1 : 1).map(([name, v]) => [name, v.length.toLocaleString("en"),
    ns(v.reduce((a, b) => a + b, 0)), ns(Math.min(...v)), ns(middle(v.sort((a, b) => a - b))), ns(Math.max(...v))]);
}
async function selects(page) {
  await home(page);
  const row = await page.eval("lanes.findIndex(l => l.type === 'device')"), [x0, y] = await place(page, .2, row);
  const [x1] = await place(page, .6, row);
  await page.drag(x0, y, x1, y, 8);
  const rows = await page.eval("[...$('sums').querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent))");
  const seen = rows.map(r => [r[0], r[1], r[2], r[4], r[5], r[6]]).sort((a, b) => a[0] < b[0] ? -1 : 1);
  assert.deepStrictEqual(seen, await page.eval(call(expected)));
  assert.match(await page.eval("$('sumhead').textContent"), /^Selected: .*device 0 busy 40 %/);
  await page.key("f");
  near(wide(await view(page)), await page.eval("selection.end - selection.begin"), 1, "zoomed to the selection");
  await page.key("Escape");
  assert.strictEqual(await page.eval("selection"), null);
}
async function switches(page) {
  assert.strictEqual(await page.eval("median([1, 2, 4, 90])"), 3);
  assert.strictEqual(await page.eval("$('filter').value = 'nothing'; commandTable(); $('table').textContent"), "None.");
  await page.eval("$('filter').value = ''; commandTable()");
  await page.key("k");
  assert.deepStrictEqual(await page.eval("lanes.map(l => l.label).filter(Boolean)"), ["work", "paint", "READ_BUFFER"]);
  await page.key("k");
  await page.key("?");
  assert.ok(await page.eval("$('keys').open && /zoom/.test($('keys').textContent)"), "? shows the keys");
  await page.key("Escape");
  assert.ok(await page.eval("!$('keys').open"), "Escape closes them");
  await page.eval("$('legend').querySelector('button').click()");
  assert.ok(await page.eval("lanes.some(l => l.dim.some(Boolean)) && lanes.some(l => l.dim.some(d => !d))"), "the legend");
  await page.eval("clearSearch()");
  const bare = await page.eval("[...document.querySelectorAll('button, input, select')].filter(e => !(e.getAttribute('aria-label')"
    + " || e.textContent.trim() || e.closest('label') || e.labels && e.labels.length)).map(e => e.outerHTML)");
  assert.deepStrictEqual(bare, [], "each control has a name");
}
async function counts(page) {
  await page.eval("$('showcounts').click(); paint()");
  const rows = await page.eval("lanes.filter(l => l.type === 'count').map(l => [l.label, l.values[l.values.length - 1]])");
  assert.deepStrictEqual(rows, [["queue 0 depth ≤ 301", 0], ["queue 1 depth ≤ 300", 0], ["device 0 moves ≤ 4 KiB", 0]]);
  const row = await page.eval("lanes.findIndex(l => l.label.startsWith('queue 0 depth'))"), [x, y] = await place(page, .5, row);
  await page.mouse("mouseMoved", x, y, {button: "none"});
  assert.match(await page.eval("$('tip').textContent"), /^queue 0 depth: \d+\nmost: 301$/);
  await page.click(x, y); // chooses nothing
  await page.eval("$('showcounts').click()");
}
// Runs in the page: texts of one height on the timeline that overlap, and contrasts.
function overlaps() {
  const texts = [], g = canvas.getContext("2d"), before = g.fillText;
  g.fillText = function (text, x, y) { texts.push([x, y, this.measureText(text).width, text]); before.call(this, text, x, y); };
  paint();
  g.fillText = before;
  return texts.filter(([x, y, w], i) => x + w > layout.width + 1
    || texts.some(([p, q], k) => k > i && Math.abs(q - y) < 9 && p < x + w && x < p + texts[k][2]));
}
function contrasts() {
  const light = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
    .map(v => v <= .04045 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4)).reduce((s, v, i) => s + v * [.2126, .7152, .0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };
  return {bars: Math.min(...PAINT.map(p => ratio(p.fill, css.paper))), texts: Math.min(...PAINT.map(p => ratio(p.fill, p.text))),
    ink: ratio(css.ink, css.paper), soft: ratio(css.soft, css.paper)};
}
async function fitsPhones(page, file) {
  await page.size(390, 844, true);
  await page.show(file);
  assert.ok(await page.eval("document.documentElement.scrollWidth <= 390"), "nothing is wider than the phone");
  assert.deepStrictEqual(await page.eval(call(overlaps)), [], "texts on the timeline overlap");
  const v = await home(page), [x, y] = await place(page, .5, 1);
  await page.eval("zoom(.1)");
  const near0 = await view(page);
  await page.touch([[[x, y], [x - 100, y]]]);
  assert.ok((await view(page)).begin > near0.begin, "a finger moves");
  await page.touch([[[x - 20, y], [x - 90, y]], [[x + 20, y], [x + 90, y]]]);
  assert.ok(wide(await view(page)) < wide(near0) / 2 && wide(near0) < wide(v), "two fingers zoom");
  await page.size(1240, 900, false);
}
// One colour for each kernel: in the timeline, the graph, the tables and the page of a difference.
async function sameColours(page, file, diff) {
  const colours = await page.eval("Object.fromEntries(D.colour_of.map(([name, k]) => [name, D.palette[k][0]]))");
  assert.deepStrictEqual(Object.keys(colours).sort(), ["paint", "work"]);
  assert.notStrictEqual(colours.work, colours.paint);
  const drawn = await page.eval("[...document.querySelectorAll('#graph svg .node path')].map(p => p.getAttribute('stroke'))");
  if (drawn.length) for (const c of Object.values(colours)) assert.ok(drawn.includes(c), `the graph has ${c}: ${drawn}`);
  const rgb = hex => "rgb(" + [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)).join(", ") + ")";
  const keys = () => [...document.querySelectorAll("td .key")]
    .map(k => [k.parentNode.textContent.trim().split(/\s/)[0], getComputedStyle(k).backgroundColor]);
  const check = list => { for (const [name, c] of list) if (colours[name]) assert.strictEqual(c, rgb(colours[name]), name); };
  check(await page.eval(call(keys)));
  await page.show(diff);
  const compared = await page.eval(call(keys));
  assert.ok(compared.some(([name]) => name === "work"), "the comparison has keys");
  check(compared);
  assert.deepStrictEqual(page.errors, []);
  await page.show(file);
}
// Of people's interest only: no test asserts a time.
async function frames(page) {
  await home(page);
  const ms = await page.eval("new Promise(done => { const v = []; let last = 0; hold('d'); const f = t => { if (last) v.push(t - last);"
    + " last = t; if (v.length < 60) requestAnimationFrame(f); else { held.clear(); v.sort((a, b) => a - b); done([v[30], v[59]]); } };"
    + " requestAnimationFrame(f); })");
  console.log(`${await page.eval("C.length")} commands: a frame each ${ms[0].toFixed(1)} ms while moving, ${ms[1].toFixed(1)} at most`);
}
async function pressesNodes(page, graph) {
  await page.show(graph);
  if (!await page.eval("!!$('graph').querySelector('svg')")) return; // no graphviz
  await page.eval("[...$('graph').querySelectorAll('.node')].find(e => e.textContent.includes('#4 '))"
    + ".dispatchEvent(new MouseEvent('click', {bubbles: true}))");
  assert.strictEqual(await page.eval("chosen"), 4);
}
async function used([file, diff, graph]) {
  const page = await open({width: 1240, height: 900});
  await page.show(file);
  await opensOnWork(page);
  for (const f of [zooms, searches, selects, switches, counts, frames]) await f(page);
  await sameColours(page, file, diff);
  await pressesNodes(page, graph);
  await fitsPhones(page, file);
  for (const value of ["light", "dark"]) {
    await page.ask("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value}]});
    await page.show(file);
    const c = await page.eval(call(contrasts));
    assert.ok(c.bars >= 2.9 && c.texts >= 4.5 && c.ink >= 7 && c.soft >= 4.5, value + JSON.stringify(c));
  }
  await page.eval("$('timebox').style.display = 'none'; paint()"); // ends, though there is no width
  await page.show(file, "#300");
  assert.strictEqual(await page.eval("chosen"), 300);
  assert.deepStrictEqual(page.errors, []);
  await page.close();
}

const [what, ...files] = process.argv.slice(2);
({shown, used}[what])(files).then(() => process.exit(0), e => { console.log(e.message || e); process.exit(1); });
