/* palette.h - one colour for each kernel, the same in every picture of a trace: timeline, report, graph,
 * Gantt chart, comparison.
 *
 * A name has a colour of its own choice (a hash), so it mostly keeps it in other traces; where an earlier
 * name has taken that one, it has the next free one. With more names than colours, colours repeat, each as
 * often as the others. All colours have a contrast of 3:1 to light and dark pages, and of 4.5:1 to the text
 * that stands on them.
 *
 * Nothing here fails: when memory is out, names have the colour of their choice. */
#ifndef CW_PALETTE_H
#define CW_PALETTE_H

#include "../../io/name_table.h"
#include "../../record/trace.h"

struct cw_palette_colour {
    const char *fill, *text; /* of a bar, and of the text on it */
    const char *tint;        /* a pale fill, for black text */
};

enum { CW_PALETTE_COLOURS = 12 };
extern const struct cw_palette_colour cw_palette_colours[CW_PALETTE_COLOURS];

/* What is no kernel. */
enum cw_palette_kind {
    CW_PALETTE_TO_DEVICE,
    CW_PALETTE_FROM_DEVICE,
    CW_PALETTE_OTHER, /* copies and fills on a device, markers */
    CW_PALETTE_HOST,
    CW_PALETTE_KINDS
};
extern const struct cw_palette_colour cw_palette_kinds[CW_PALETTE_KINDS];

/* A zeroed one is empty. */
struct cw_palette {
    struct cw_name_table names;
    uint8_t colour[1 << 12]; /* by number of the name; later ones have the colour of their choice */
    uint32_t taken;          /* a bit for each colour that has a name more than the others */
};

void cw_palette_finish(struct cw_palette *p);

/* Gives `name` a colour, unless it has one. */
void cw_palette_add(struct cw_palette *p, const char *name);
/* The same for the kernels of `t`, in the order of their first launches. */
void cw_palette_add_kernels(struct cw_palette *p, const struct cw_trace *t);

/* The number of the colour of `name`, below CW_PALETTE_COLOURS. */
unsigned cw_palette_find(const struct cw_palette *p, const char *name);

/* The kind of a command that launches no kernel; `type`: of struct cw_command. */
enum cw_palette_kind cw_palette_kind_of(uint32_t type);

/* The colour of a command of `t`. */
const struct cw_palette_colour *cw_palette_of(const struct cw_palette *p, const struct cw_trace *t,
                                              const struct cw_command *k);

#endif
