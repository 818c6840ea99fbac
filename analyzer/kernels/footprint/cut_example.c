/* cut_example.c - an expected verdict on cutting before a launch is known. See cut.h.
 *
 * The test for a launch is run on made-up launches: eight work-groups of eight in each dimension that the
 * kernel asks about, integer arguments of a few sizes, buffers without end. */
#include "cut.h"

#include "cut_internal.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8, LOCAL = 8, VALUE_BYTES = 16 };

static unsigned dimensions(const struct cw_model *m)
{
    unsigned n = 1;
    for (int i = 0; i < m->pool.n; i++) {
        const struct cw_expr *x = &m->pool.node[i];
        if (x->op >= CW_EXPR_GLOBAL_ID && x->op <= CW_EXPR_GLOBAL_OFFSET && x->dim + 1u > n)
            n = x->dim + 1u;
    }
    return n;
}

static void make_launch(const struct cw_model *m, int64_t value, int64_t step, struct cw_launch *l,
                        unsigned char *bytes)
{
    l->work_dim = dimensions(m);
    for (unsigned d = 0; d < 3; d++) {
        l->local[d] = d < l->work_dim ? LOCAL : 1;
        l->global[d] = d < l->work_dim ? GROUPS * LOCAL : 1;
        l->offset[d] = 0;
    }
    for (int i = 0; i < m->args; i++) {
        struct cw_launch_arg *a = &l->arg[i];
        *a = (struct cw_launch_arg){.buffer_bytes = INT64_C(1) << 50};
        bool real = !strncmp(m->arg[i].type, "float", 5) || !strncmp(m->arg[i].type, "double", 6) ||
                    !strncmp(m->arg[i].type, "half", 4);
        bool ints = !strncmp(m->arg[i].type, "int", 3) || !strncmp(m->arg[i].type, "uint", 4);
        if (m->arg[i].kind != CW_ARG_SCALAR || real || m->arg[i].bytes > VALUE_BYTES)
            continue;
        int64_t v = value + step * i;
        for (int k = 0; k < VALUE_BYTES; k++) /* int2: both */
            bytes[i * VALUE_BYTES + k] = (unsigned char)((uint64_t)v >> 8 * (k % (ints ? 4 : 8)));
        a->value = bytes + (size_t)i * VALUE_BYTES;
        a->value_bytes = (size_t)m->arg[i].bytes;
    }
}

/* How much of the kernel an example shows: accesses that happen in several slabs of some dimension. */
static int shown(struct cw_cutter *c, const struct cw_launch *l)
{
    struct cut_form *f = &c->form[0];
    int n = 0;
    c->eval->launch = l;
    c->eval->tile = &c->tile;
    for (int d = 0; d < 3; d++) {
        c->tile.first[d] = 0;
        c->tile.count[d] = l->global[d] / l->local[d];
    }
    for (int i = 0; i < c->m->accesses; i++)
        for (unsigned d = 0; d < l->work_dim; d++) {
            cw_cut_form_read(c->eval, i, (int)d, f);
            n += !f->never && f->slabs.lo < f->slabs.hi;
        }
    return n;
}

void cw_cut_example(const struct cw_model *m, struct cw_cut_verdict *best)
{
    static const int64_t values[][2] = {{64, 0}, {1000, 0}, {256, 64}, {64, 16}, {4, 0}, {1, 0}};
    struct cw_cutter *c = cw_cutter_create(m);
    struct cw_launch l = {.arg = calloc((size_t)m->args + 1, sizeof *l.arg)};
    unsigned char *bytes = calloc((size_t)m->args + 1, VALUE_BYTES);
    int most = -1;
    *best = (struct cw_cut_verdict){
        .cut = CW_CUT_WHOLE, .dim = -1, .why = "out of memory", .arg = -1, .other = -1, .access = {-1, -1}};
    for (size_t i = 0; c && l.arg && bytes && i < sizeof values / sizeof *values; i++) {
        struct cw_cut_verdict v;
        make_launch(m, values[i][0], values[i][1], &l, bytes);
        cw_cutter_verdict(c, &l, &v);
        int n = shown(c, &l);
        bool better = v.cut > best->cut || (v.cut == best->cut && v.contiguous && !best->contiguous);
        if (n > most || (n == most && better))
            *best = v;
        most = n > most ? n : most;
    }
    free(l.arg);
    free(bytes);
    cw_cutter_destroy(c);
}
