#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../analyzer/io/identity.h"
#include "../../analyzer/settings/options.h"
#include "../door/lock.h"
#include "recorder.h"
#include "../door/door.h"

#define MAX_FRAMES CW_CALLSITES_MAX
#define SITES      4096 /* distinct stacks; beyond, leaf addresses collide into "unknown" (0) */

/* Interned stacks: open addressing by key; an entry is written once, under the lock. */
static struct site {
    uintptr_t *frames; /* NULL: free */
    uint32_t n, id, generation;
} sites[SITES];
static cw_lock site_lock;
static uint32_t next_site;
static _Atomic uintptr_t own_start, own_end, loader_start,
    loader_end; /* text of this library; of libOpenCL */
static _Atomic uint32_t modules_generation;
static _Atomic uint64_t modules_loaded; /* the linker's count of loads when modules were written */

void cw_callsite_after_fork(void)
{
    cw_lock_free(&site_lock);
}

/* ---- modules: the files that were mapped and where, so that addresses can be named offline */

struct visit {
    uint64_t loads;      /* the linker's count of them */
    char path[PATH_MAX]; /* of the main program, which the linker gives no name; "" until it is asked for */
};

static const char *name_of(const struct dl_phdr_info *info, struct visit *v)
{
    ssize_t n;

    if (info->dlpi_name && info->dlpi_name[0])
        return info->dlpi_name;
    n = v->path[0] ? 0 : readlink("/proc/self/exe", v->path, sizeof v->path - 1);
    if (n > 0)
        v->path[n] = '\0';
    return v->path;
}

static bool is_code(const ElfW(Phdr) * p)
{
    return p->p_type == PT_LOAD && (p->p_flags & PF_X);
}

static int visit_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
    struct visit *v = context;
    const char *name = name_of(info, v), *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    int i;

    (void)size;
    v->loads = info->dlpi_adds;
    for (i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;

        if (is_code(p) && (uintptr_t)visit_ranges >= start && (uintptr_t)visit_ranges < end)
            atomic_store(&own_start, start), atomic_store(&own_end, end);
        if (is_code(p) && !strncmp(base, "libOpenCL", 9))
            atomic_store(&loader_start, start), atomic_store(&loader_end, end);
    }
    return 0;
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *name = name_of(info, context);
    int i;

    (void)size;
    for (i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        struct cw_rec r;

        if (!is_code(p))
            continue;
        cw_log_rec_begin(&r);
        cw_rec_u(&r, info->dlpi_addr + p->p_vaddr);
        cw_rec_u(&r, info->dlpi_addr + p->p_vaddr + p->p_memsz);
        cw_rec_u(&r, p->p_offset);
        cw_log_rec_string(&r, name);
        cw_log_rec_commit(&r, CW_LOG_MODULE);
    }
    return 0;
}

/* Writes the module list if it is new to this log: at first, and after the program loaded something. The
 * ranges are there before modules_generation says so: a thread that reads it may unwind at once. No lock: a
 * constructor may come here while the linker holds its own. */
static void write_modules(void)
{
    struct visit v; /* large: only the part that is read is cleared */
    int saved = errno;

    v.loads = 0;
    v.path[0] = '\0';
    dl_iterate_phdr(visit_ranges, &v);
    if (atomic_exchange(&modules_generation, cw_log_generation) != cw_log_generation ||
        atomic_exchange(&modules_loaded, v.loads) != v.loads) {
        modules_loaded = v.loads;
        dl_iterate_phdr(visit_module, &v);
    }
    errno = saved;
}

static bool in_us(uintptr_t a)
{
    return a >= own_start && a < own_end;
}

static bool in_loader(uintptr_t a)
{
    return a >= loader_start && a < loader_end;
}

/* ---- interning */

static void write_site(uint32_t id, const uintptr_t *frames, unsigned n)
{
    struct cw_rec r;
    unsigned i;

    cw_log_rec_begin(&r);
    cw_rec_u(&r, id);
    cw_rec_u(&r, n);
    for (i = 0; i < n; i++)
        cw_rec_u(&r, frames[i]);
    cw_log_rec_commit(&r, CW_LOG_CALLSITE);
}

/* The entry of this stack, or the free one that becomes it; NULL: the table is full, or memory is out. Lock
 * held. */
static struct site *find_site(const uintptr_t *frames, unsigned n)
{
    uint64_t first = cw_identity_key_of_bytes(frames, n * sizeof *frames).half[0];

    for (uint32_t i = 0; i < SITES; i++) {
        struct site *s = &sites[(first + i) & (SITES - 1)];

        if (s->frames && (s->n != n || memcmp(s->frames, frames, n * sizeof *frames)))
            continue;
        if (!s->frames && (s->frames = malloc(n * sizeof *frames))) {
            memcpy(s->frames, frames, n * sizeof *frames);
            s->n = n;
            s->id = ++next_site;
        }
        return s->frames ? s : NULL;
    }
    return NULL;
}

/* The number + 1 of this stack, 0 when the table is full. */
static uint32_t intern(const uintptr_t *frames, unsigned n)
{
    struct site *s;
    uint32_t id = 0;
    bool fresh = false;

    cw_lock_take(&site_lock);
    if ((s = find_site(frames, n))) {
        id = s->id;
        fresh = s->generation != cw_log_generation;
        s->generation = cw_log_generation;
    }
    cw_lock_free(&site_lock);
    if (fresh) {
        write_modules();
        write_site(id - 1, frames, n);
    }
    return id;
}

/* The program's frames above us, at most `want`, innermost first. */
static unsigned unwind(uintptr_t *frames, unsigned want)
{
    void *raw[MAX_FRAMES + 8];
    int n = cw_unwind(raw, (int)(want + 8)), i;
    unsigned count = 0;

    for (i = 0; i < n && count < want; i++)
        if (count || (!in_us((uintptr_t)raw[i]) && !in_loader((uintptr_t)raw[i])))
            frames[count++] = (uintptr_t)raw[i];
    return count;
}

/* The place that called the hook's caller, which is a door of this library: it keeps frame pointers. */
static uintptr_t leaf_of(struct cw_caller caller)
{
    uintptr_t address = (uintptr_t)caller.address;
    void **frame = caller.frame;
    int i;

    for (i = 0; i < 4 && frame && in_us(address); i++) {
        frame = frame[0];
        address = frame ? (uintptr_t)frame[1] : 0;
    }
    return address;
}

static uint32_t site_of(uintptr_t leaf, struct cw_thread *t)
{
    unsigned entry = (unsigned)(leaf >> 2 ^ leaf >> 7) & 15;
    uint32_t id;

    if (t->sites[entry].address == leaf && t->sites[entry].generation == cw_log_generation)
        return t->sites[entry].id;
    id = intern(&leaf, 1);
    t->sites[entry].address = leaf;
    t->sites[entry].id = id;
    t->sites[entry].generation = cw_log_generation;
    return id;
}

uint32_t cw_callsite_leaf(struct cw_thread *t, struct cw_caller caller)
{
    uintptr_t leaf;

    if (!cw_recorder.callsite_frames)
        return 0;
    if (CW_UNLIKELY(modules_generation != cw_log_generation))
        write_modules();
    leaf = leaf_of(caller);
    if (CW_LIKELY(leaf && !in_loader(leaf)))
        return site_of(leaf, t);
    return unwind(&leaf, 1) ? site_of(leaf, t) : 0;
}

uint32_t cw_callsite(struct cw_thread *t, struct cw_caller caller)
{
    unsigned want = cw_recorder.callsite_frames, n;
    uintptr_t frames[MAX_FRAMES];

    if (want <= 1)
        return cw_callsite_leaf(t, caller);
    if (CW_UNLIKELY(modules_generation != cw_log_generation))
        write_modules();
    n = unwind(frames, want < MAX_FRAMES ? want : MAX_FRAMES);
    return n ? intern(frames, n) : 0;
}

uint32_t cw_callsite_unwound(void)
{
    struct cw_thread *t = cw_log_thread();
    uintptr_t leaf;

    if (!cw_recorder.callsite_frames || !t)
        return 0;
    if (modules_generation != cw_log_generation)
        write_modules();
    return unwind(&leaf, 1) ? site_of(leaf, t) : 0;
}
