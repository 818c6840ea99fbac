/* fault.c - see core/fault.h. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../analyzer/io/identity.h"
#include "../../../analyzer/record/trace.h"
#include "../../door/door.h"
#include "../../door/log.h"
#include "context_device.h"
#include "global_lock.h"
#include "state.h"

enum cw_run_fault cw_run_fault_planted;
static unsigned long turn, seen;
static const char *asked; /* CLWEAVE_FAULT, which stays where it is */

static const char *const kinds[] = {
    [CW_RUN_FAULT_DROP] = "drop:",         [CW_RUN_FAULT_SWAP] = "swap:",
    [CW_RUN_FAULT_STALE] = "stale:",       [CW_RUN_FAULT_EARLY] = "early:",
    [CW_RUN_FAULT_NARROW] = "narrow:",     [CW_RUN_FAULT_UNSEEN] = "unseen:",
    [CW_RUN_FAULT_NAIVE] = "naive:",       [CW_RUN_FAULT_HALF] = "half:",
    [CW_RUN_FAULT_TWICE] = "twice:",       [CW_RUN_FAULT_LOCAL] = "local:",
    [CW_RUN_FAULT_REFUSE] = "refuse:",     [CW_RUN_FAULT_UNBUILT] = "unbuilt:",
    [CW_RUN_FAULT_UNMADE] = "unmade:",     [CW_RUN_FAULT_LATE] = "late:",
    [CW_RUN_FAULT_ORDER] = "order:",       [CW_RUN_FAULT_FAIL] = "fail:",
    [CW_RUN_FAULT_OFFSET] = "offset:",     [CW_RUN_FAULT_UNCOPIED] = "uncopied:",
    [CW_RUN_FAULT_SHORT] = "short:",       [CW_RUN_FAULT_OPEN] = "open:",
    [CW_RUN_FAULT_UNPINNED] = "unpinned:", [CW_RUN_FAULT_LOOSE] = "loose:",
    [CW_RUN_FAULT_SOON] = "soon:",         [CW_RUN_FAULT_UNFETCHED] = "unfetched:",
    [CW_RUN_FAULT_UNNOTED] = "unnoted:",   [CW_RUN_FAULT_UNSAVED] = "unsaved:",
    [CW_RUN_FAULT_HASTY] = "hasty:",       [CW_RUN_FAULT_HEEDLESS] = "heedless:",
    [CW_RUN_FAULT_RASH] = "rash:",         [CW_RUN_FAULT_BEYOND] = "beyond:",
    [CW_RUN_FAULT_DEAD] = "dead:",         [CW_RUN_FAULT_GARBAGE] = "garbage:",
    [CW_RUN_FAULT_FULL] = "full:",         [CW_RUN_FAULT_UNBROUGHT] = "unbrought:",
    [CW_RUN_FAULT_TIGHT] = "tight:",       [CW_RUN_FAULT_SLOW] = "slow:",
    [CW_RUN_FAULT_HUNG] = "hung:",         [CW_RUN_FAULT_MUTE] = "mute:",
    [CW_RUN_FAULT_UNMERGED] = "unmerged:", [CW_RUN_FAULT_OMIT] = "omit:",
    [CW_RUN_FAULT_BRISK] = "brisk:",       [CW_RUN_FAULT_RESUMED] = "resumed:",
    [CW_RUN_FAULT_ALIKE] = "alike:"};

bool cw_run_fault_start(const char *text, bool any)
{
    char *end;

    if (!text || !*text ||
        (!any && strncmp(text, kinds[CW_RUN_FAULT_ALIKE], strlen(kinds[CW_RUN_FAULT_ALIKE])) &&
         strncmp(text, kinds[CW_RUN_FAULT_RESUMED], strlen(kinds[CW_RUN_FAULT_RESUMED]))))
        return true;
    for (int i = CW_RUN_FAULT_DROP; i <= CW_RUN_FAULT_ALIKE; i++) {
        size_t n = strlen(kinds[i]);

        if (strncmp(text, kinds[i], n))
            continue;
        turn = strtoul(text + n, &end, 10);
        if (text[n] < '0' || text[n] > '9' || *end || !turn)
            break;
        asked = text;
        if (i == CW_RUN_FAULT_ALIKE)
            cw_identity_one_key = true; /* all else goes its way */
        else
            cw_run_fault_planted = (enum cw_run_fault)i;
        return true;
    }
    cw_log_error(
        "CLWEAVE_FAULT is \"%s\": it must be drop:N, swap:N, stale:N, early:N, narrow:N, unseen:N, "
        "naive:N, half:N, twice:N, local:N, refuse:N, unbuilt:N, late:N, order:N, fail:N, offset:N, "
        "uncopied:N, short:N, open:N, unpinned:N, loose:N, soon:N, unfetched:N, unnoted:N, "
        "unsaved:N, hasty:N, heedless:N, rash:N, beyond:N, dead:N, garbage:N, full:N, unbrought:N, slow:N, "
        "hung:N, mute:N, unmerged:N, omit:N, brisk:N, resumed:N or alike:N, N from 1",
        text);
    return false;
}

bool cw_run_fault_cuts(void)
{
    return cw_run_fault_planted == CW_RUN_FAULT_NONE ||
           (cw_run_fault_planted >= CW_RUN_FAULT_NAIVE && cw_run_fault_planted != CW_RUN_FAULT_LATE &&
            cw_run_fault_planted != CW_RUN_FAULT_FAIL);
}

bool cw_run_fault_now(enum cw_run_fault kind)
{
    return CW_UNLIKELY(cw_run_fault_planted == kind) && ++seen == turn;
}

bool cw_run_fault_since(enum cw_run_fault kind)
{
    return CW_UNLIKELY(cw_run_fault_planted == kind) && ++seen >= turn;
}

static bool asks(bool (*planted)(enum cw_run_fault), enum cw_run_fault kind)
{
    bool so;

    if (CW_LIKELY(cw_run_fault_planted != kind))
        return false;
    cw_run_global_lock_take();
    so = planted(kind);
    cw_run_global_lock_give();
    return so;
}

bool cw_run_fault_asks_now(enum cw_run_fault kind)
{
    return asks(cw_run_fault_now, kind);
}

bool cw_run_fault_asks_since(enum cw_run_fault kind)
{
    return asks(cw_run_fault_since, kind);
}

bool cw_run_fault_omits(enum cw_run_fault kind)
{
    return cw_run_fault_asks_now(cw_run_fault_planted == CW_RUN_FAULT_OMIT ? CW_RUN_FAULT_OMIT : kind);
}

size_t cw_run_fault_narrow(size_t bytes)
{
    size_t element = bytes < 4 ? bytes : 4;

    return CW_UNLIKELY(cw_run_fault_planted == CW_RUN_FAULT_NARROW) && ++seen >= turn ? element : 0;
}

int cw_run_fault_describe(char *text, size_t size)
{
    if (!asked)
        return 0;
    if (seen >= turn || cw_identity_one_key)
        return snprintf(text, size, "run: fault %s planted\n", asked);
    return snprintf(text, size, "run: fault %s not planted, only %lu places for it\n", asked, seen);
}

struct cw_run_task *cw_run_fault_swap(struct cw_run_task *t)
{
    if (CW_LIKELY(cw_run_fault_planted != CW_RUN_FAULT_SWAP))
        return NULL;
    for (uint32_t i = 0; i < t->edges.n; i++) {
        struct cw_run_task *s = (struct cw_run_task *)(t->edges.to[i] & ~(uintptr_t)CW_RUN_EDGE_BITS);

        if (!s || t->edges.to[i] & CW_RUN_EDGE_BITS || s->work != CW_RUN_LAUNCH || s->waits != 1 ||
            s->launch.tiles || s->at.worker != t->at.worker || s->at.place != t->at.place)
            continue;
        if (!cw_run_fault_now(CW_RUN_FAULT_SWAP))
            return NULL;
        s->launch.has_run = true;
        return s;
    }
    return NULL;
}

static bool read_only(const struct cw_run_task *t, uint32_t i)
{
    return t->launch.kernel->modes[i] == CW_ACCESS_READ;
}

void cw_run_fault_stale_begin(const struct cw_run_task *t, uint8_t **saved)
{
    for (uint32_t i = 0; i < t->launch.kernel->count; i++) {
        struct cw_run_memory *m = t->launch.args[i].memory;

        saved[i] = m && read_only(t, i) ? malloc(m->bytes) : NULL;
        if (saved[i])
            memcpy(saved[i], m->address, m->bytes);
        if (m)
            memset(m->address, 0, m->bytes);
    }
}

void cw_run_fault_stale_end(const struct cw_run_task *t, uint8_t **saved)
{
    for (uint32_t i = 0; i < t->launch.kernel->count; i++) {
        if (saved[i])
            memcpy(t->launch.args[i].memory->address, saved[i], t->launch.args[i].memory->bytes);
        free(saved[i]);
    }
}

static bool has_come(enum cw_run_fault kind)
{
    return cw_run_fault_planted == kind && seen >= turn;
}

static bool is_first_far(const struct cw_run_worker *l)
{
    const struct cw_run_worker *first = cw_run.workers;

    while (first < l && (!first->memory || first->home))
        first++;
    return l->memory && !l->home && first == l;
}

bool cw_run_fault_hangs(const struct cw_run_worker *l)
{
    return CW_UNLIKELY(has_come(CW_RUN_FAULT_HUNG)) && is_first_far(l);
}

static void never_ends(void)
{
    for (;;)
        pause();
}

void cw_run_fault_mute(const struct cw_run_worker *l)
{
    if (CW_UNLIKELY(cw_run_fault_planted) && is_first_far(l) && asks(has_come, CW_RUN_FAULT_MUTE))
        never_ends();
}

cl_int cw_run_fault_copy(const struct cw_run_worker *l, bool home)
{
    if (CW_LIKELY(!cw_run_fault_planted) || !is_first_far(l))
        return CL_SUCCESS;
    if (!home && cw_run_fault_asks_now(CW_RUN_FAULT_TIGHT))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return (home && cw_run_fault_asks_now(CW_RUN_FAULT_UNBROUGHT)) ||
                   (cw_run_fault_planted == CW_RUN_FAULT_DEAD && asks(has_come, CW_RUN_FAULT_DEAD))
               ? CL_OUT_OF_RESOURCES
               : CL_SUCCESS;
}

cl_int cw_run_fault_launch(struct cw_run_task *t)
{
    const struct cw_run_context_device *p = &t->queue->context->places[t->at.place];
    const struct cw_run_worker *l = &cw_run.workers[t->at.worker];
    uint64_t own = 0;

    if (!is_first_far(l))
        return CL_SUCCESS;
    if (cw_run_fault_asks_since(CW_RUN_FAULT_DEAD) || cw_run_fault_asks_since(CW_RUN_FAULT_MUTE))
        return CL_DEVICE_NOT_AVAILABLE;
    if (l->runs && cw_run_fault_asks_now(CW_RUN_FAULT_HUNG) && cw_run_context_device_turn_take(p))
        never_ends();
    if (cw_run_fault_asks_now(CW_RUN_FAULT_SLOW))
        nanosleep(&(struct timespec){2, 0}, NULL);
    if (!cw_run_fault_asks_since(CW_RUN_FAULT_FULL))
        return CL_SUCCESS;
    for (uint32_t i = 0; i < t->launch.kernel->count; i++)
        own += t->launch.args[i].memory ? t->launch.args[i].memory->root->bytes : 0;
    return seen <= turn + 1 || l->far_bytes > own ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
}

cl_int cw_run_fault_launched(struct cw_run_task *t)
{
    struct cw_run_worker *l = &cw_run.workers[t->at.worker];
    const struct cw_run_context_device *p = &t->queue->context->places[t->at.place];
    const uint8_t garbage = 0x5A;

    if (!is_first_far(l) || !cw_run_fault_asks_now(CW_RUN_FAULT_GARBAGE) ||
        !cw_run_context_device_turn_take(p))
        return CL_SUCCESS;
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];
        if (a->write && a->region->root)
            cw_next.clEnqueueFillBuffer(p->copies, a->region->root->mirrors[l->number], &garbage, 1, a->low,
                                        a->high - a->low, 0, NULL, NULL);
    }
    cw_next.clFinish(p->copies);
    cw_run_context_device_turn_give(p);
    return CL_OUT_OF_RESOURCES;
}
