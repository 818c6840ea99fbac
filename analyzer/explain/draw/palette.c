/* palette.c - see palette.h. Hues lie evenly in OKLCH, in two steps of luminance: .165, for white text, and
 * .29, for black text. */
#include "palette.h"

#include <CL/cl.h>
#include <string.h>

#define INK "#141a22"

const struct cw_palette_colour cw_palette_colours[CW_PALETTE_COLOURS] = {
    {"#0c72cb", "#ffffff", "#cee3f5"}, {"#db7929", INK, "#f8e4d4"},       {"#138327", "#ffffff", "#d0e6d4"},
    {"#9684eb", INK, "#eae6fb"},       {"#c34839", "#ffffff", "#f3dad7"}, {"#00a682", INK, "#ccede6"},
    {"#9f52b0", "#ffffff", "#ecdcef"}, {"#859d14", INK, "#e7ebd0"},       {"#087e83", "#ffffff", "#cee5e6"},
    {"#db6ea6", INK, "#f8e2ed"},       {"#906b03", "#ffffff", "#e9e1cd"}, {"#009fc9", INK, "#ccecf4"}};

const struct cw_palette_colour cw_palette_kinds[CW_PALETTE_KINDS] = {
    [CW_PALETTE_TO_DEVICE] = {"#5b738d", "#ffffff", "#dee3e8"},
    [CW_PALETTE_FROM_DEVICE] = {"#82697f", "#ffffff", "#e6e1e5"},
    [CW_PALETTE_OTHER] = {"#637475", "#ffffff", "#e0e3e3"},
    [CW_PALETTE_HOST] = {"#8f969e", INK, "#e9eaec"}};

static unsigned choice(const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a */

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return (h ^ h >> 16) % CW_PALETTE_COLOURS;
}

void cw_palette_finish(struct cw_palette *p)
{
    cw_name_table_finish(&p->names);
}

void cw_palette_add(struct cw_palette *p, const char *name)
{
    uint32_t before = p->names.count, number = cw_name_table_add(&p->names, name, strlen(name));
    unsigned colour = choice(name);

    if (number != before || number >= sizeof p->colour)
        return;
    if (p->taken == (1u << CW_PALETTE_COLOURS) - 1)
        p->taken = 0; /* each colour once more */
    while (p->taken >> colour & 1)
        colour = (colour + 1) % CW_PALETTE_COLOURS;
    p->taken |= 1u << colour;
    p->colour[number] = (uint8_t)colour;
}

void cw_palette_add_kernels(struct cw_palette *p, const struct cw_trace *t)
{
    for (size_t i = 0; i < t->commands.count; i++)
        if (t->commands.v[i].kernel < t->kernels.count)
            cw_palette_add(p, t->kernels.v[t->commands.v[i].kernel].name);
}

unsigned cw_palette_find(const struct cw_palette *p, const char *name)
{
    uint32_t number = cw_name_table_find(&p->names, name, strlen(name));

    return number < sizeof p->colour ? p->colour[number] : choice(name);
}

enum cw_palette_kind cw_palette_kind_of(uint32_t type)
{
    switch (type) {
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT:
    case CL_COMMAND_WRITE_IMAGE:
    case CL_COMMAND_UNMAP_MEM_OBJECT:
    case CL_COMMAND_SVM_UNMAP:
        return CW_PALETTE_TO_DEVICE;
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_SVM_MAP:
        return CW_PALETTE_FROM_DEVICE;
    default:
        return CW_PALETTE_OTHER;
    }
}

const struct cw_palette_colour *cw_palette_of(const struct cw_palette *p, const struct cw_trace *t,
                                              const struct cw_command *k)
{
    if (k->kernel < t->kernels.count)
        return &cw_palette_colours[cw_palette_find(p, t->kernels.v[k->kernel].name)];
    return &cw_palette_kinds[cw_trace_command_is_enqueue(k) ? cw_palette_kind_of(k->type) : CW_PALETTE_HOST];
}
