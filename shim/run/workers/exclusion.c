/* exclusion.c - which launches must not overlap.
 *
 * PoCL 3.1 keeps compiled kernels in one list for all `basic` devices and contexts and finds them again by
 * kernel and local size alone, though it compiles one more for every global size that is wider than those
 * before, and one for offsets. Two such launches of one kernel in exclusion at once release the wrong one and
 * abort the process
 * ("found->ref_count > 0", test/vendor/offset_kinds_abort.c). So they run one after the other, at any
 * local size. The helpers' kernel is built with an option of its own (code/helper_program.c) and is another
 * kernel to PoCL: each side has its own count. A native launch counts while the vendor is called, where the
 * device runs kernels inside that call. */
#include "../code/code.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/state.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/io/identity.h"

struct cw_run_side {
    struct cw_run_side *next;
    char *name;   /* of the kernels, at home */
    size_t width; /* of those that run */
    uint32_t running;
};

/* A program that is made of a binary has the kernels, to PoCL, of the one that the binary is from, which may
 * be there, too: kernels of one name share their side at home. Helpers load the very same binary. */
struct cw_run_exclusion {
    struct cw_run_exclusion *next;
    struct cw_identity id; /* the kernel's source, options and name, by which PoCL finds it */
    struct cw_key key;
    struct cw_run_side *side[2], helpers; /* home, helpers */
};

static struct cw_run_exclusion *exclusions; /* as many as there are kernels; never freed */
static struct cw_run_side *homes;           /* as many as there are names; never freed */

static bool abort_of_offset_kinds(const struct cw_run_context *c)
{
    const struct cw_context_devices *s = c->devices;

    for (size_t i = 0; s && i < s->n; i++)
        if (cw_device_has(&s->device[i], CW_VENDOR_OFFSET_KINDS_ABORT))
            return true;
    return false;
}

/* NULL: memory is out. */
static struct cw_run_side *home_side(const char *name)
{
    struct cw_run_side *s = homes;

    while (s && strcmp(s->name, name) != 0)
        s = s->next;
    if (s || !(s = calloc(1, sizeof *s)))
        return s;
    if (!(s->name = strdup(name))) {
        free(s);
        return NULL;
    }
    s->next = homes;
    return homes = s;
}

/* NULL: not known, or memory is out. */
static struct cw_run_exclusion *find(const struct cw_run_kernel *k)
{
    const struct cw_run_program *p = k->program;
    const char *text = cw_run_program_text(p);
    struct cw_run_exclusion *f;
    struct cw_run_side *home;
    struct cw_identity id;
    struct cw_key key;

    if (!text || !p->options || !abort_of_offset_kinds(p->context) || !(home = home_side(k->name)))
        return NULL;
    cw_identity_begin(&id, k->name);
    cw_identity_text(&id, p->options);
    cw_identity_text(&id, text);
    key = cw_identity_key(&id);
    for (f = exclusions; f && !(cw_key_same(f->key, key) && cw_identity_same(&f->id, &id));)
        f = f->next;
    if (f || id.failed || !(f = calloc(1, sizeof *f))) {
        cw_identity_finish(&id);
        return f;
    }
    *f = (struct cw_run_exclusion){.next = exclusions, .id = id, .key = key};
    f->side[0] = home;
    f->side[1] = p->binary ? home : &f->helpers;
    return exclusions = f;
}

/* The program's text, which may be long, is looked at for the first kernel of a name only. */
struct cw_run_exclusion *cw_run_exclusion_of(const struct cw_run_kernel *k)
{
    if (!k->known)
        return NULL;
    if (!k->known->exclusion)
        k->known->exclusion = find(k);
    return k->known->exclusion;
}

/* Launches with an offset are compiled apart from all without: another width. */
static size_t width_of(cl_uint dims, const size_t *offset, const size_t *global)
{
    size_t width = 0, offset_bit = 0;

    for (cl_uint i = 0; i < dims; i++) {
        width = global[i] > width ? global[i] : width;
        if (offset && offset[i])
            offset_bit = ~(SIZE_MAX >> 1);
    }
    return width | offset_bit;
}

static struct cw_run_side *side_of(const struct cw_run_task *t)
{
    struct cw_run_exclusion *f = t->work == CW_RUN_LAUNCH ? t->launch.kernel->exclusion : NULL;

    return f ? f->side[!t->queue->context->places[t->at.place].device->home] : NULL;
}

static size_t width(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH ? width_of(t->launch.dims, t->launch.offset, t->launch.global) : 0;
}

static bool may(const struct cw_run_side *s, size_t width)
{
    return !s || !s->running || s->width == width;
}

static void begin(struct cw_run_side *s, size_t width)
{
    if (!s)
        return;
    s->running++;
    s->width = width;
}

static void end(struct cw_run_side *s)
{
    if (!s || --s->running)
        return;
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        cw_run.workers[i].blocked = false; /* they look again */
    cw_run_global_lock_tell();
}

bool cw_run_exclusion_may(const struct cw_run_task *t)
{
    return may(side_of(t), width(t));
}

void cw_run_exclusion_begin(const struct cw_run_task *t)
{
    begin(side_of(t), width(t));
}

void cw_run_exclusion_end(const struct cw_run_task *t)
{
    end(side_of(t));
}

struct cw_run_side *cw_run_exclusion_side(const struct cw_run_kernel *k, bool home)
{
    return k->exclusion ? k->exclusion->side[!home] : NULL;
}

bool cw_run_exclusion_enter(struct cw_run_side *s, const struct cw_run_ndrange *r)
{
    size_t width = width_of(r->dims, r->offset, r->global);

    if (!may(s, width))
        return false;
    begin(s, width);
    return true;
}

void cw_run_exclusion_leave(struct cw_run_side *s)
{
    end(s);
}

void cw_run_exclusion_native_end(struct cw_run_exclusion *f)
{
    if (f)
        end(f->side[0]);
}
