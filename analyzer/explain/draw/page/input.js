/* input.js - mouse, fingers and keys on the timeline, as chrome://tracing and Perfetto have them. */
let mode = "zoom";         /* what dragging does: "select", "pan" or "zoom" */
let pointed = null;        /* {lane, item} under the pointer */
let drag = null;           /* {x, y, kind, begin, end, moved} */
const fingers = new Map(); /* touch pointers: id -> [x, y] */
let pinch = null;          /* {begin, end, middle, apart} when two fingers came down */

function setMode(name) {
  mode = name;
  for (const b of document.querySelectorAll("[data-mode]"))
    b.setAttribute("aria-pressed", b.dataset.mode === name);
  canvas.className = name === "pan" ? "pan" : "";
}
function place(event) {
  const r = canvas.getBoundingClientRect();
  return [event.clientX - r.left, event.clientY - r.top];
}
/* The row at `y`, with the label above it. -1: above the first; as many as there are: below the last. */
function rowAt(y) {
  const at = y + $("rows").scrollTop, row = lanes.findIndex(l => at < l.y + layout.row);
  return at < TOP ? -1 : row < 0 ? lanes.length : row;
}
/* What is at a place of the canvas: {lane, item}, or null. */
function hit(x, y) {
  const l = lanes[rowAt(y)];
  if (!l || x < layout.label || y < TOP) return null;
  if (l.type === "count") return {lane: l, item: -1, time: timeAt(x)};
  const t = timeAt(x), slop = (view.end - view.begin) / (layout.width - layout.label) * 2;
  let best = null, distance = Infinity;
  for (let i = firstAt(l, t - slop); i < l.n && l.begin[i] <= t + slop; i++) {
    const d = Math.max(l.begin[i] - t, t - l.end[i], 0);
    if (l.end[i] >= t - slop && (d < distance || (d === distance && best && !l.dim[i] && l.dim[best.item]))) {
      distance = d;
      best = {lane: l, item: i};
    }
  }
  return best;
}
function clampTime(t) { return Math.max(view.begin, Math.min(view.end, t)); }

/* ---- dragging */
function dragBox(x, y) {
  const a = clampTime(timeAt(drag.x)), b = clampTime(timeAt(x)),
        row = v => Math.max(0, Math.min(lanes.length - 1, rowAt(v)));
  const axis = drag.y < TOP - 4,
        rows = axis ? [0, lanes.length - 1] : [row(drag.y), row(y)].sort((p, q) => p - q);
  return {
    begin: Math.min(a, b),
    end: Math.max(a, b),
    first: rows[0],
    last: rows[1],
    whole: axis || drag.kind === "zoom"
  };
}
function dragTo(x, y) {
  drag.moved = drag.moved || Math.abs(x - drag.x) > 3 || (drag.kind === "select" && Math.abs(y - drag.y) > 6);
  if (!drag.moved) return;
  if (drag.kind === "pan") {
    const by = (drag.x - x) / (layout.width - layout.label) * (drag.end - drag.begin);
    look(drag.begin + by, drag.end + by);
  } else {
    box = dragBox(x, y);
    redraw();
  }
}
function dragEnd(x, y) {
  const d = drag;
  drag = null;
  if (!d.moved) {
    box = null;
    const h = hit(x, y);
    choose(h && h.item >= 0 ? Math.max(-1, h.lane.command[h.item]) : -1);
    return;
  }
  if (box && d.kind === "zoom" && box.end > box.begin) lookNew(box.begin, box.end);
  if (box && d.kind === "select") {
    selection = box;
    sums();
  }
  box = null;
  redraw();
}
/* Shift selects and Alt or the middle button moves, whatever the mode is. One finger moves unless it selects.
 */
function dragKind(e) {
  if (e.button === 1 || e.altKey) return "pan";
  if (e.shiftKey) return "select";
  return e.pointerType === "touch" && mode === "zoom" ? "pan" : mode;
}

/* ---- two fingers */
function pinchStart() {
  const [a, b] = [...fingers.values()];
  drag = box = null;
  pinch = {
    begin: view.begin,
    end: view.end,
    apart: Math.max(20, Math.abs(a[0] - b[0])),
    middle: timeAt((a[0] + b[0]) / 2)
  };
}
function pinchMove() {
  const [a, b] = [...fingers.values()], width = layout.width - layout.label;
  const span = (pinch.end - pinch.begin) * pinch.apart / Math.max(20, Math.abs(a[0] - b[0]));
  const begin = pinch.middle - ((a[0] + b[0]) / 2 - layout.label) / width * Math.min(span, t1 - t0);
  look(begin, begin + span);
}

/* ---- pointers */
canvas.onpointerdown = e => {
  const [x, y] = place(e);
  if (e.button > 1) return;
  canvas.setPointerCapture(e.pointerId);
  if (e.pointerType === "touch") fingers.set(e.pointerId, [x, y]);
  if (fingers.size === 2) return pinchStart();
  if (fingers.size > 2) return;
  drag = {x, y, kind: dragKind(e), begin: view.begin, end: view.end, moved: false};
  if (drag.kind === "pan") views.push([view.begin, view.end]);
  if (e.button === 1) e.preventDefault();
};
canvas.onpointermove = e => {
  const [x, y] = place(e);
  if (fingers.has(e.pointerId)) fingers.set(e.pointerId, [x, y]);
  pointer.x = x;
  if (pinch) {
    if (fingers.size === 2) pinchMove();
    return;
  }
  if (drag) return dragTo(x, y);
  if (e.pointerType !== "touch") showTip(e, hit(x, y));
};
canvas.onpointerup = e => {
  fingers.delete(e.pointerId);
  if (pinch) {
    if (!fingers.size) pinch = null;
    return;
  }
  if (drag) dragEnd(...place(e));
};
canvas.onpointercancel = e => {
  fingers.delete(e.pointerId);
  drag = pinch = box = null;
  redraw();
};
canvas.onpointerleave = () => {
  $("tip").style.display = "none";
  pointer.x = -1;
};
canvas.ondblclick = () => {
  if (chosen >= 0) lookAtChosen();
};
canvas.addEventListener("wheel", e => {
  const [x] = place(e),
        sideways = e.shiftKey                 ? e.deltaY || e.deltaX :
      Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX :
                                                0;
  if (e.ctrlKey || e.metaKey)
    zoom(Math.pow(1.0025, Math.max(-200, Math.min(200, e.deltaY))), timeAt(Math.max(x, layout.label)));
  else if (sideways)
    pan(sideways / (layout.width - layout.label));
  else
    return;
  e.preventDefault();
}, {passive: false});
$("rows").onscroll = redraw;
const pointer = {
  x: -1
}; /* where zooming by keys keeps still: at the mouse, or in the middle */

function showTip(event, h) {
  const tip = $("tip");
  pointed = h;
  tip.style.display = h ? "block" : "none";
  if (!h) return;
  tip.textContent = tipText(h);
  const width = tip.offsetWidth;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 6)) + "px";
  tip.style.top = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 4) + "px";
}

/* ---- keys: W, A, S and D go on as long as they are held */
const held = new Set(), SPEED = 1.1; /* of the view's width, and factor of zooming, each second */
let heldAt = 0;
function step(seconds) {
  const middle = pointer.x >= layout.label ? timeAt(pointer.x) : undefined;
  const sideways = (held.has("d") ? 1 : 0) - (held.has("a") ? 1 : 0),
        nearer = (held.has("w") ? 1 : 0) - (held.has("s") ? 1 : 0);
  if (sideways) pan(sideways * SPEED * seconds);
  if (nearer) zoom(Math.exp(-nearer * 2 * SPEED * seconds), middle);
}
function holdOn(now) {
  if (!held.size) return;
  step(Math.min(.1, (now - heldAt) / 1000));
  heldAt = now;
  requestAnimationFrame(holdOn);
}
function hold(key) {
  if (held.has(key)) return;
  const idle = !held.size;
  held.add(key);
  step(.07); /* a short press moves, too */
  if (idle)
    requestAnimationFrame(now => {
      heldAt = now;
      requestAnimationFrame(holdOn);
    });
}
onkeyup = e => {
  held.delete(e.key.toLowerCase());
};
onblur = () => held.clear();

function escape() {
  if (drag) {
    drag = box = null;
    return redraw();
  }
  if (selection) {
    selection = null;
    sums();
    return redraw();
  }
  if (wanted || alone.size) return clearSearch();
  if (chosen >= 0) choose(-1);
}
const KEYS = {
  "+": () => zoom(.7),
  "=": () => zoom(.7),
  "-": () => zoom(1.4),
  "0": lookAtAll,
  h: lookAtWork,
  f: lookAtChosen,
  Backspace: lookBack,
  Escape: escape,
  "1": () => setMode("select"),
  "2": () => setMode("pan"),
  "3": () => setMode("zoom"),
  "/": () => $("find").focus(),
  "?": () => showHelp(),
  n: () => nextFound(1),
  p: () => nextFound(-1),
  k: () => {
    $("rowsby").value = $("rowsby").value === "kernel" ? "device" : "kernel";
    rebuild();
  },
};
const AT_CANVAS = {
  ArrowLeft: () => pan(-.15),
  ArrowRight: () => pan(.15),
  "[": () => nextItem(-1),
  "]": () => nextItem(1)
};
document.onkeydown = e => {
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  if (e.ctrlKey || e.metaKey || e.altKey || $("keys").open ||
      /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName))
    return;
  if ("wasd".includes(key))
    hold(key);
  else if (KEYS[key])
    KEYS[key]();
  else if (AT_CANVAS[key] && document.activeElement === canvas)
    AT_CANVAS[key]();
  else
    return;
  e.preventDefault();
};
