// report_page.js - runs the script of a report's page with a document that draws nothing, and prints one JSON object: the cards, and
// for each lane of the timeline the share of its area that is painted. Usage: node report_page.js PAGE.html
"use strict";
const page = require("fs").readFileSync(process.argv[2], "utf8");
const data = /<script type="application\/json" id="data">([^]*?)<\/script>/.exec(page)[1];
const script = /<script>([^]*?)<\/script>/.exec(page)[1];
const WIDTH = 1200, painted = [], cards = [];
const ROW = 22, TOP = 20, LABEL = 190; // as in the page

const context = {
  fillStyle: "", globalAlpha: 1, fillText() {}, clearRect() {}, setTransform() {}, strokeRect() {},
  fillRect(x, y, w, h) { if (this.fillStyle !== "line") painted.push([x, y, w, h]); },
};
function element(id) {
  return {
    id, children: [], value: "", checked: id === "showplan", style: {}, clientWidth: WIDTH, textContent: id === "data" ? data : "",
    setAttribute() {}, querySelector: () => null, getContext: () => context,
    append(...children) { if (id === "cards") cards.push(children[0].text()); this.children.push(...children); },
    text() { return this.children.map(c => typeof c === "string" ? c : c.text()).join(" "); },
  };
}
const known = new Map();
const get = id => known.get(id) || known.set(id, element(id)).get(id);
get("by").value = "kernel";
const document = {getElementById: get, createElement: element, createElementNS: (n, tag) => element(tag), documentElement: {}};
const style = {getPropertyValue: name => name.slice(2)};

new Function("document", "location", "history", "devicePixelRatio", "getComputedStyle", "onresize", script)(
  document, {hash: ""}, {replaceState() {}}, 1, () => style, null);
const lanes = [];
for (const [x, y, w, h] of painted)
  if (x >= LABEL) { const n = Math.floor((y - TOP) / ROW); lanes[n] = (lanes[n] || 0) + w * h / ((WIDTH - LABEL) * (ROW - 4)); }
console.log(JSON.stringify({cards, lanes: Array.from(lanes, v => v || 0)}));
