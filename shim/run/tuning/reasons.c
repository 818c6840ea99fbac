/* reasons.c - see tuning/tuning.h. */
#include "tuning.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/io/folders.h"
#include "../../trace/recorder.h"
#include "../core/state.h"

enum { WHOLE_REASONS = 24, LEAST_NS = 50000 };

struct reason {
    const char *why, *remedy;
    uint64_t count, measured; /* of the count, those with a time */
    double ns;                /* theirs */
};

static struct {
    struct reason whole[WHOLE_REASONS], code[WHOLE_REASONS];
    double native_ns[CW_RUN_REASON_COUNT];
    /* since the last wait */
    uint32_t launches[CW_RUN_REASON_COUNT], commands[CW_RUN_REASON_COUNT];
    uint64_t managed_before; /* launches that were managed until then */
} all;

/* ---- native */

atomic_ullong cw_run_reasons_bypassed;

uint64_t cw_run_reasons_count(enum cw_run_reason why)
{
    return cw_run.counts.native[why] +
           (why == CW_RUN_R_DEVICE ? atomic_load_explicit(&cw_run_reasons_bypassed, memory_order_relaxed)
                                   : 0);
}

void cw_run_reasons_native(enum cw_run_reason why, bool launch)
{
    cw_run.counts.native[why]++;
    all.commands[why]++;
    all.launches[why] += launch;
}

void cw_run_reasons_passed(uint64_t commands)
{
    cw_run.counts.native[CW_RUN_R_BYPASS] += commands;
    all.commands[CW_RUN_R_BYPASS] += (uint32_t)commands;
    all.launches[CW_RUN_R_BYPASS] += (uint32_t)commands;
}

void cw_run_reasons_waited(double ns, uint64_t commands)
{
    uint64_t managed = cw_run.counts.launches, launches = managed - all.managed_before;

    all.managed_before = managed;
    for (int i = 0; i < CW_RUN_REASON_COUNT; i++)
        launches += all.launches[i];
    for (int i = 0; i < CW_RUN_REASON_COUNT; i++) {
        if (!all.commands[i])
            continue;
        if (launches)
            all.native_ns[i] += ns * all.launches[i] / (double)launches;
        else if (commands)
            all.native_ns[i] += ns * all.commands[i] / (double)commands;
        all.launches[i] = all.commands[i] = 0;
    }
}

/* ---- whole */

/* Returns 1 + its place in the list; 0: that is full. */
static uint8_t count(struct reason list[WHOLE_REASONS], const char *why)
{
    for (uint8_t i = 0; i < WHOLE_REASONS; i++) {
        struct reason *r = &list[i];
        if (r->why && strcmp(r->why, why))
            continue;
        r->why = why;
        r->count++;
        return (uint8_t)(i + 1);
    }
    return 0;
}

void cw_run_reasons_whole(struct cw_run_task *t, const char *why)
{
    uint8_t at = count(all.whole, why);

    t->launch.measure.whole = at ? at : t->launch.measure.whole;
    cw_run_reasons_of(t, why);
}

void cw_run_reasons_of(const struct cw_run_task *t, const char *why)
{
    if (CW_UNLIKELY(t->order.recorded))
        cw_device_times_whole(t->order.recorded - 1, why);
}

void cw_run_reasons_code(const char *why)
{
    count(all.code, why ? why : "its code may round otherwise");
}

void cw_run_reasons_measured(const struct cw_run_task *t)
{
    struct reason *r;

    if (!t->launch.measure.whole)
        return;
    r = &all.whole[t->launch.measure.whole - 1];
    r->measured++;
    r->ns += (double)t->launch.measure.took_ns;
}

/* ---- the summary */

static double time_of(const struct reason *r)
{
    return r->measured ? r->ns * (double)r->count / (double)r->measured : 0;
}

static int by_time(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;
    double more = time_of(y) - time_of(x);

    return more > 0 ? 1 : more < 0 ? -1 : (y->count > x->count) - (y->count < x->count);
}

static int describe(char *text, unsigned size, const char *kind, struct reason *v, size_t n)
{
    int used = 0;

    qsort(v, n, sizeof *v, by_time);
    for (size_t i = 0; i < n && used >= 0 && (unsigned)used < size; i++) {
        char ms[40] = "";
        if (!v[i].count)
            continue;
        if (time_of(&v[i]) >= LEAST_NS)
            snprintf(ms, sizeof ms, ", %.1f ms", time_of(&v[i]) / 1e6);
        used +=
            snprintf(text + used, size - (unsigned)used, "run: %s: %llu %s%s%s%s\n", kind,
                     (unsigned long long)v[i].count, v[i].why, ms, *v[i].remedy ? " -> " : "", v[i].remedy);
    }
    return used < (int)size ? used : (int)size - 1;
}

int cw_run_reasons_describe_native(char *text, unsigned size)
{
    char cache[PATH_MAX], mend[PATH_MAX + 80];
    struct reason v[] = {
#define X(id, words, help) {.why = words, .remedy = help},
        CW_RUN_REASONS(X)
#undef X
    };
    int used;

    for (int i = 0; i < CW_RUN_REASON_COUNT; i++) {
        v[i].count = v[i].measured = cw_run_reasons_count((enum cw_run_reason)i);
        v[i].ns = all.native_ns[i];
    }
    if (v[CW_RUN_R_BINARY].count && cw_program_cache_of(program_invocation_short_name, cache)) {
        snprintf(mend, sizeof mend, "delete %s, the program's own cache, and run it again", cache);
        v[CW_RUN_R_BINARY].remedy = mend;
    }
    used = describe(text, size, "native", v + CW_RUN_CHOICE_COUNT, CW_RUN_REASON_COUNT - CW_RUN_CHOICE_COUNT);
    return used + describe(text + used, size - (unsigned)used, "left", v, CW_RUN_CHOICE_COUNT);
}

static const char *remedy_of(const char *why)
{
    static const char *const remedies[][2] = {
        {"the build options allow results to vary", "--set numerics=relaxed"},
        {"its device chooses the local size, which it can see", "pass a local size"},
    };

    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (!strcmp(why, remedies[i][0]))
            return remedies[i][1];
    return "";
}

int cw_run_reasons_describe_whole(char *text, unsigned size)
{
    struct reason v[WHOLE_REASONS];
    int used;

    memcpy(v, all.whole, sizeof v);
    for (size_t i = 0; i < WHOLE_REASONS; i++)
        v[i].remedy = v[i].why ? remedy_of(v[i].why) : "";
    used = describe(text, size, "whole", v, WHOLE_REASONS);
    memcpy(v, all.code, sizeof v);
    for (size_t i = 0; i < WHOLE_REASONS; i++)
        v[i].remedy = "--set numerics=relaxed";
    return used +
           describe(text + used, size - (unsigned)used, "not on other vendors' devices", v, WHOLE_REASONS);
}
