/* columns.js - the narrow items of one row of the timeline, as pixels in a picture that is drawn at once:
 * filling a rectangle for each of thousands of columns in each frame would take too long.
 *
 * An item that is narrower than a pixel is drawn by density: each pixel's column is as high as the share of
 * its time that is taken, so that a row that works for 4 % of its time looks so; the rest of the column is
 * pale. Its colour is the one that takes most. */
const DIM = .16, PALE = .25;
const columns = {
  picture: document.createElement("canvas"),
  image: null,
  pixels: null,
  width: 0,
  height: 0,
  full: 1,    /* opacity of what is not dim */
  any: false, /* the picture has something */
  x: -1,      /* the column that is being summed up: shares of its time, by colour; bright items alone count
                   where there are some */
  taken: new Float32Array(PAINT.length),
  used: [],
  bright: false,
};
/* 0xAABBGGRR, as processors of today store what ImageData wants as R, G, B, A. */
function pixel(hex, opacity) {
  const rgb = parseInt(hex.slice(1), 16), red = rgb >> 16;
  return ((rgb & 255) << 16 | rgb & 0xff00 | red | Math.round(255 * opacity) << 24) >>> 0;
}
const PIXEL = PAINT.map(p => pixel(p.fill, 0));
function pixelOf(paint, opacity) { return (PIXEL[paint] | Math.round(255 * opacity) << 24) >>> 0; }
/* A row of so many columns, each `height` pixels high, of which `full` is the opacity. */
function beginColumns(width, height, full) {
  if (columns.width !== width || columns.height !== height) {
    columns.picture.width = columns.width = width;
    columns.picture.height = columns.height = height;
    columns.image = columns.picture.getContext("2d").createImageData(width, height);
    columns.pixels = new Uint32Array(columns.image.data.buffer);
  } else if (columns.any)
    columns.pixels.fill(0);
  columns.any = false;
  columns.full = full;
  columns.x = -1;
}
/* The lower `high` pixels of column `x`. */
function fillColumn(x, high, value) {
  if (x < 0 || x >= columns.width) return;
  for (let y = columns.height - high, at = y * columns.width + x; y < columns.height;
       y++, at += columns.width)
    columns.pixels[at] = value;
  columns.any = true;
}
function endColumn() {
  let taken = 0, most = 0, paint = 0;
  for (const p of columns.used) {
    const v = columns.taken[p];
    taken += v;
    if (v > most) {
      most = v;
      paint = p;
    }
    columns.taken[p] = 0;
  }
  columns.used.length = 0;
  if (taken > 0) {
    const opacity = columns.bright ? columns.full : columns.full * DIM;
    fillColumn(columns.x, columns.height, pixelOf(paint, opacity * PALE));
    const high = Math.max(1, Math.round(columns.height * Math.min(1, taken)));
    fillColumn(columns.x, high, pixelOf(paint, opacity));
  }
  columns.bright = false;
}
/* An item that is narrower than a pixel, so that xa to xb lie in at most two columns. */
function addThin(xa, xb, paint, bright) {
  for (let x = Math.floor(xa); x === Math.floor(xa) || x < xb; x++) {
    if (x !== columns.x) {
      endColumn();
      columns.x = x;
    }
    const part = Math.max(1e-6, Math.min(xb, x + 1) - Math.max(xa, x));
    if (bright && !columns.bright) {
      for (const p of columns.used) columns.taken[p] = 0;
      columns.used.length = 0;
      columns.bright = true;
    } else if (!bright && columns.bright)
      continue;
    if (!columns.taken[paint]) columns.used.push(paint);
    columns.taken[paint] += part;
  }
}
/* A wider one: whole columns, with one free behind it where there is room. */
function addSolid(xa, xb, paint, bright) {
  const first = Math.round(xa), end = Math.max(first + 1, Math.round(xb) - (xb - xa > 4 ? 1 : 0));
  const value = pixelOf(paint, bright ? columns.full : columns.full * DIM);
  endColumn();
  columns.x = -1;
  for (let x = first; x < end; x++) fillColumn(x, columns.height, value);
}
/* Draws the row with its upper left corner at (x, y), `high` high. */
function endColumns(g, x, y, high) {
  endColumn();
  if (!columns.any) return;
  columns.picture.getContext("2d").putImageData(columns.image, 0, 0);
  g.imageSmoothingEnabled = false;
  g.drawImage(columns.picture, x, y, columns.width, high);
}
