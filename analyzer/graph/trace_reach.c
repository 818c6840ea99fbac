/* trace_reach.c - see trace_reach.h. */
#include "trace_reach.h"
#include "../kernels/source/cl_language.h"
#include "../kernels/source/code_text.h"

#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 64, IDENTITY_BYTES = 8192 };

/* ---- models */

struct vendor {
    const struct cw_trace *t;
    uint32_t context;
    cw_trace_ask *ask;
};

static bool ask(void *data, const char *options, char *const *names, size_t n, struct cw_macro_value *values)
{
    const struct vendor *v = data;

    return v->ask(v->t, v->context, options, names, n, values);
}

/* Names and versions of a context's devices; false: not all are known. */
static bool identity_of(const struct cw_trace *t, uint32_t context, char text[IDENTITY_BYTES])
{
    size_t used = 0;
    struct cw_slice devices;

    if (context >= t->contexts.count || !t->contexts.v[context].devices.count)
        return false;
    devices = t->contexts.v[context].devices;
    for (uint32_t i = 0; i < devices.count; i++) {
        uint32_t id = t->device_ids.v[devices.first + i];
        const struct cw_t_device *d = id < t->devices.count ? &t->devices.v[id] : NULL;
        if (!d || !d->name || !d->version || !d->driver_version)
            return false;
        used += (size_t)snprintf(text + used, IDENTITY_BYTES - used, "traced;%s;%s;%s;", d->name, d->version,
                                 d->driver_version);
        if (used >= IDENTITY_BYTES)
            return false;
    }
    return true;
}

/* The program whose text and options the model is made of: for one that is linked of a single module, that
 * module. NULL: there is none. */
static const struct cw_t_program *told_by(const struct cw_trace *t, size_t id)
{
    const struct cw_t_program *p = &t->programs.v[id];

    if (p->kind == CW_PROGRAM_LINKED && p->inputs.count == 1)
        p = &t->programs.v[t->program_ids.v[p->inputs.first]];
    if (p != &t->programs.v[id] && p->kind != CW_PROGRAM_IL)
        return NULL;
    return p->kind == CW_PROGRAM_BUILTIN || p->kind == CW_PROGRAM_LINKED || !p->source || !p->options ||
                   p->rebuilt || p->inputs.count
               ? NULL
               : p;
}

static void get_models(struct cw_trace_reach *r, const struct cw_trace *t, size_t id,
                       struct cw_models_source *source, cw_trace_ask *ask_)
{
    const struct cw_t_program *p = told_by(t, id);
    struct vendor v = {t, t->programs.v[id].context, ask_};
    char identity[IDENTITY_BYTES];
    struct cw_models_vendor vendor = {.data = &v, .ask = ask_ ? ask : NULL};
    struct cw_error err = {0};
    char *options;

    if (!p)
        return;
    if (identity_of(t, p->context, identity))
        vendor.identity = identity;
    options = cw_code_text_is(p->source) /* they have no word about it */
                  ? strdup("")
                  : cw_cl_language_options(p->options, cw_trace_vendor_language(t, p->context));
    if (options)
        r->program[id] = cw_program_reach_create(source, p->source, options, &vendor, &err);
    free(options);
    r->analysed += r->program[id] != NULL;
    if (err.status)
        cw_error_set(&r->missing, err.status, "%s", err.text);
}

enum cw_status cw_trace_reach_init(struct cw_trace_reach *r, const struct cw_trace *t,
                                   struct cw_models_source *source, cw_trace_ask *ask_, struct cw_error *err)
{
    sigset_t all, before;

    *r = (struct cw_trace_reach){.programs = t->programs.count, .kernels = t->kernels.count};
    r->program = calloc(r->programs + 1, sizeof(struct cw_program_reach *));
    r->kernel = calloc(r->kernels + 1, sizeof(struct cw_reacher *));
    if (!r->program || !r->kernel)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (size_t p = 0; p < r->programs; p++)
        get_models(r, t, p, source, ask_);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (size_t k = 0; k < r->kernels; k++) {
        uint32_t p = t->kernels.v[k].program;
        if (p < r->programs && r->program[p] && t->kernels.v[k].name)
            r->kernel[k] = cw_program_reach_kernel(r->program[p], t->kernels.v[k].name, PIECES);
    }
    return CW_OK;
}

void cw_trace_reach_finish(struct cw_trace_reach *r)
{
    for (size_t k = 0; r->kernel && k < r->kernels; k++)
        cw_reacher_destroy(r->kernel[k]);
    for (size_t p = 0; r->program && p < r->programs; p++)
        cw_program_reach_destroy(r->program[p]);
    free(r->kernel);
    free(r->program);
    free(r->args);
    free(r->shapes);
    *r = (struct cw_trace_reach){0};
}

/* ---- launches */

/* Beyond this single precision, in which kernels may compute coordinates, is not exact (llvm/pixel.c). */
enum { MOST_PIXELS = 1 << 22 };

bool cw_trace_image_shape(const struct cw_trace *t, uint32_t memory, struct cw_image_shape *shape)
{
    const struct cw_t_memory *m = memory < t->memory.count ? &t->memory.v[memory] : NULL;
    bool layers = m && m->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY,
         flat = m && m->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    uint64_t rows, slices, row;

    if (!m || m->kind != CW_MEM_IMAGE || m->host_ptr || !m->element_bytes || !m->width || m->mip_levels > 1 ||
        m->samples > 1 || m->size > (uint64_t)1 << 48 ||
        (m->parent < t->memory.count && t->memory.v[m->parent].kind == CW_MEM_IMAGE))
        return false;
    rows = layers ? m->array_size : m->height;
    slices = m->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? m->array_size : m->depth;
    rows = rows ? rows : 1;
    slices = slices ? slices : 1;
    row = m->parent != CW_NONE && m->row_pitch && !flat ? m->row_pitch : m->width * m->element_bytes;
    if ((m->width > MOST_PIXELS && !flat) || m->width > INT32_MAX || rows > MOST_PIXELS ||
        slices > MOST_PIXELS || row % m->element_bytes || row / m->element_bytes < m->width)
        return false;
    row /= m->element_bytes;
    *shape = (struct cw_image_shape){.size = {(int64_t)m->width, (int64_t)rows, (int64_t)slices},
                                     .pitch = {1, (int64_t)row, (int64_t)(rows * row)}};
    return row < (uint64_t)1 << 32 && rows * row < (uint64_t)1 << 40;
}

static struct cw_reach_arg describe_image(const struct cw_trace *t, uint32_t memory, struct cw_image_shape *s)
{
    if (!cw_trace_image_shape(t, memory, s))
        return (struct cw_reach_arg){.kind = CW_REACH_OTHER};
    return (struct cw_reach_arg){
        .kind = CW_REACH_IMAGE,
        .bytes = (uint64_t)(s->pitch[2] * (s->size[2] - 1) + s->pitch[1] * (s->size[1] - 1) + s->size[0]),
        .value = (const unsigned char *)s};
}

static struct cw_reach_arg describe(const struct cw_trace *t, const struct cw_t_arg *a,
                                    struct cw_image_shape *shape)
{
    struct cw_reach_arg other = {.kind = CW_REACH_OTHER};
    const struct cw_t_memory *m = a->memory < t->memory.count ? &t->memory.v[a->memory] : NULL;

    switch (a->kind) {
    case CW_ARG_LOCAL:
        return (struct cw_reach_arg){.kind = CW_REACH_LOCAL};
    case CW_ARG_SVM:
        if (m && a->value >= m->host_ptr && a->value - m->host_ptr < m->size)
            return (struct cw_reach_arg){
                .kind = CW_REACH_BUFFER, .bytes = m->size, .start = a->value - m->host_ptr};
        return a->value ? other : (struct cw_reach_arg){.kind = CW_REACH_BUFFER};
    case CW_ARG_MEMORY:
        if (a->memory == CW_NONE)
            return (struct cw_reach_arg){.kind = CW_REACH_BUFFER};
        if (m && m->kind == CW_MEM_IMAGE)
            return describe_image(t, a->memory, shape);
        if (!m || !m->size || (m->kind != CW_MEM_BUFFER && m->kind != CW_MEM_SUBBUFFER))
            return other;
        return (struct cw_reach_arg){.kind = CW_REACH_BUFFER, .bytes = m->size};
    case CW_ARG_VALUE:
        if (a->size > 8 && (a->blob >= t->bytes.count || a->size > t->bytes.count - a->blob))
            return other;
        return (struct cw_reach_arg){.kind = CW_REACH_SCALAR,
                                     .bytes = a->size,
                                     .value = a->size > 8 ? t->bytes.v + a->blob
                                                          : (const unsigned char *)&a->value};
    default:
        return other;
    }
}

static bool make_space(struct cw_trace_reach *r, uint32_t n)
{
    struct cw_reach_arg *args;
    struct cw_image_shape *shapes;

    if (n <= r->max_args)
        return true;
    args = realloc(r->args, n * sizeof *args);
    r->args = args ? args : r->args;
    shapes = realloc(r->shapes, n * sizeof *shapes);
    r->shapes = shapes ? shapes : r->shapes;
    if (!args || !shapes)
        return false;
    r->max_args = n;
    return true;
}

bool cw_trace_reach_describe(struct cw_trace_reach *r, const struct cw_trace *t, const struct cw_command *k,
                             struct cw_reach_launch *l)
{
    *l = (struct cw_reach_launch){.work_dim = k->work_dim, .args = k->args.count};
    if (k->unknown_access || k->work_dim < 1 || k->work_dim > 3 || !make_space(r, k->args.count))
        return false;
    for (uint32_t i = 0; i < k->args.count; i++) {
        const struct cw_t_arg *a = &t->args.v[k->args.first + i];
        if (a->command_index != i)
            return false;
        r->args[i] = describe(t, a, &r->shapes[i]);
    }
    l->arg = r->args;
    for (int d = 0; d < 3; d++) {
        l->global[d] = k->global_size[d];
        l->local[d] = k->local_null ? 0 : k->local_size[d];
        l->offset[d] = k->global_offset[d];
    }
    return true;
}

const struct cw_reach *cw_trace_reach_launch(struct cw_trace_reach *r, const struct cw_trace *t,
                                             const struct cw_command *k)
{
    struct cw_reacher *reacher = k->kernel < r->kernels ? r->kernel[k->kernel] : NULL;
    struct cw_reach_launch l;

    return reacher && cw_trace_reach_describe(r, t, k, &l) ? cw_reacher_launch(reacher, &l, 0) : NULL;
}

const struct cw_model *cw_trace_reach_model(const struct cw_trace_reach *r, const struct cw_trace *t,
                                            uint32_t kernel)
{
    uint32_t p = kernel < r->kernels ? t->kernels.v[kernel].program : CW_NONE;

    return p < r->programs && r->program[p] && t->kernels.v[kernel].name
               ? cw_program_reach_model(r->program[p], t->kernels.v[kernel].name)
               : NULL;
}

bool cw_trace_reach_says(const struct cw_trace_reach *r, const struct cw_trace *t, uint32_t kernel,
                         bool *elsewhere, bool *addresses)
{
    uint32_t p = kernel < r->kernels ? t->kernels.v[kernel].program : CW_NONE;

    return p < r->programs && r->program[p] && t->kernels.v[kernel].name &&
           cw_program_reach_says(r->program[p], t->kernels.v[kernel].name, elsewhere, addresses);
}

/* ---- facts about vendors */

static int language_of(const struct cw_trace *t, uint32_t device)
{
    const struct cw_t_device *d = device < t->devices.count ? &t->devices.v[device] : NULL;
    const struct cw_t_platform *p =
        d && d->platform < t->platforms.count ? &t->platforms.v[d->platform] : NULL;

    return p ? cw_cl_language_default(p->name, p->version, d->version) : CW_CL_LANGUAGE_1;
}

int cw_trace_vendor_language(const struct cw_trace *t, uint32_t context)
{
    struct cw_slice devices = {0, 0};
    int language = CW_CL_LANGUAGE_1, other;

    if (context < t->contexts.count)
        devices = t->contexts.v[context].devices;
    for (uint32_t i = 0; i < devices.count; i++) {
        other = language_of(t, t->device_ids.v[devices.first + i]);
        language = other > language ? other : language;
    }
    return language;
}
