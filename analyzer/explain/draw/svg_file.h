/* svg_file.h - a drawing as an SVG file, or as PNG by a tool that is made for it. */
#ifndef CW_SVG_FILE_H
#define CW_SVG_FILE_H

#include <stdio.h>

#include "../../../sched/status.h"

/* Writes a complete SVG document to `f`. Errors of `f` itself are found by the caller. */
typedef enum cw_status cw_svg_draw_fn(FILE *f, const void *context, struct cw_error *err);

/* Writes the picture that `draw` draws to `path`: PNG at twice the size when it ends in .png (by
 * rsvg-convert, which must be installed), else SVG. The file is complete or not there. Errors: CW_ERR_INVALID
 * (the name ends in something else), CW_ERR_IO, CW_ERR_UNSUPPORTED (no rsvg-convert: the message names the
 * package to install), and those of `draw`. */
enum cw_status cw_svg_file_write(const char *path, cw_svg_draw_fn *draw, const void *context,
                                 struct cw_error *err);

#endif
