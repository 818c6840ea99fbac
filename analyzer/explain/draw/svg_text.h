/* svg_text.h - text in SVG pictures that is known to fit.
 *
 * Pictures are drawn without knowing the viewer's fonts. Text is set in a fixed-width face, whose characters
 * are 0.602 em wide in every common one, so that widths measured here are those on the screen. */
#ifndef CW_SVG_TEXT_H
#define CW_SVG_TEXT_H

#include <stdio.h>

#include "../../../sched/status.h"

#define CW_SVG_FONT "DejaVu Sans Mono, Menlo, Consolas, monospace"

/* Width in pixels of `s` (UTF-8) at `size` pixels, with a small reserve. */
double cw_svg_text_width(const char *s, double size);

/* Writes `s` to `out` (`bytes` long), shortened with an ellipsis so that it is at most `width` pixels wide at
 * `size`. Empty when not even one character fits. Returns `out`. */
const char *cw_svg_text_fit(const char *s, double size, double width, char *out, size_t bytes);

/* Writes `s` escaped for XML text and attributes; characters that XML forbids become '?'. */
void cw_svg_text_escape(FILE *f, const char *s);

/* Writes a <text> element. anchor: "start", "middle" or "end"; attributes: more of them, or "". y is the
 * baseline. */
void cw_svg_text(FILE *f, double x, double y, double size, const char *anchor, const char *fill,
                 const char *attributes, const char *s);

/* A drawing as an SVG file, or as PNG by a tool that is made for it. */

/* Writes a complete SVG document to `f`. Errors of `f` itself are found by the caller. */
typedef enum cw_status cw_svg_draw_fn(FILE *f, const void *context, struct cw_error *err);

/* Writes the picture that `draw` draws to `path`: PNG at twice the size when it ends in .png (by
 * rsvg-convert, which must be installed), else SVG. The file is complete or not there. Errors: CW_ERR_INVALID
 * (the name ends in something else), CW_ERR_IO, CW_ERR_UNSUPPORTED (no rsvg-convert: the message names the
 * package to install), and those of `draw`. */
enum cw_status cw_svg_file_write(const char *path, cw_svg_draw_fn *draw, const void *context,
                                 struct cw_error *err);

#endif
