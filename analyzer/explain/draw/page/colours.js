/* colours.js - what is painted how. Kernels have the colours that palette.c gives them in all pictures. */
const BUILD = {
  fill: "#a08c6c",
  text: "#141a22",
  name: "build"
};
const KINDS = ["to the device", "from the device", "other commands", "host"];
const COPIES = [
  "copy that a command needs", "copy for a native command", "copy to make room", "read by the program"
];
const KERNELS = D.palette.length;
/* The palette, what is no kernel, builds, and copies between memories; other numbers are places in it. */
const colour = ([fill, text], name) => ({fill, text, name});
const PAINT = [
  ...D.palette.map(p => colour(p, "")), ...D.palette_kinds.map((p, k) => colour(p, KINDS[k])), BUILD,
  ...COPIES.map((name, k) => colour(D.palette_kinds[k], name))
];
const PAINT_HOST = KERNELS + 3, PAINT_BUILD = KERNELS + 4, PAINT_MOVE = KERNELS + 5;

const colourOf = new Map(D.colour_of); /* number of a kernel's colour, by its name */
function paintOfName(name, kernel) {
  if (kernel) return colourOf.get(name) || 0;
  if (/^(cl|host )/.test(name)) return PAINT_HOST;
  return KERNELS + (/^(WRITE|UNMAP|SVM_UNMAP)/.test(name) ? 0 : /^(READ|MAP|SVM_MAP)/.test(name) ? 1 : 2);
}
const commandPaint = Uint8Array.from(C, k => k[KIND] ? paintOfName(k[NAME], k[KIND] === 2) : PAINT_HOST);

/* `more`: the part of a command, the copy or the call that is painted, where it is one. */
function paintOf(c, more) {
  if (more && more.move) return PAINT_MOVE + more[MOVE.WHY];
  if (more && more.call)
    return /^cl(Build|Compile|Link)Program$/.test(more[CALL.NAME]) ? PAINT_BUILD : PAINT_HOST;
  if ($("by").value === "group" && C[c][KIND])
    return more && more[PART.GROUP] ? (more[PART.GROUP] - 1) % KERNELS : PAINT_HOST;
  return commandPaint[c];
}
/* The colour of device `k` or of priority group `k` in plots that have no kernels. */
function shade(k) { return D.palette[k % KERNELS][0]; }
function keyOf(fill) { return el("i", {class: "key", style: "background:" + fill}); }
function kernelKey(name) { return keyOf(D.palette[colourOf.get(name) || 0][0]); }
