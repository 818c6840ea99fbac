/* killed_check.c - compares what logs (or traces) hold with the counters of killed.c.
 *
 * usage: killed_check [--stopped] COUNTERS TRACE...
 * Every thread's commands must be there from the first on without a gap, as many as the counter says or one
 * more (killed between the log's record and the counter). --stopped: recording stopped early; there may be
 * fewer, but none between, and each trace must say why. Prints one line; exit status 1 if anything is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/record/trace.h"
#include "../../analyzer/graph/trace_read.h"

#define SLOTS 8

static uint64_t counters[SLOTS], found[SLOTS];
static int failures;

static void lost(const char *what, size_t slot, uint64_t a, uint64_t b)
{
    printf("LOST: %s: thread %zu: %llu, %llu\n", what, slot, (unsigned long long)a, (unsigned long long)b);
    failures++;
}

static void look_at(const char *path, bool stopped)
{
    struct cw_error err = {0};
    struct cw_trace t;
    size_t i, slot;

    cw_trace_init(&t);
    if (cw_trace_load(&t, path, &err) != CW_OK) {
        printf("LOST: %s\n", err.text);
        failures++;
    }
    for (i = 0; i < t.commands.count; i++) {
        const struct cw_command *c = &t.commands.v[i];

        if (c->kernel == CW_NONE)
            continue;
        slot = c->global_offset[0] < SLOTS ? c->global_offset[0] : 0;
        if (c->global_size[0] != found[slot] + 1)
            lost("gap between commands", slot, found[slot], c->global_size[0]);
        if (c->args.count != 1 || t.args.v[c->args.first].kind != CW_ARG_MEMORY ||
            t.args.v[c->args.first].memory >= t.memory.count)
            lost("argument", slot, c->args.count, i);
        found[slot] = c->global_size[0];
    }
    if (stopped && (!t.process.stopped_why || t.process.complete)) {
        printf("LOST: %s does not say that it stopped\n", path);
        failures++;
    } else if (stopped) {
        printf("stopped: %s\n", t.process.stopped_why);
    }
    cw_trace_finish(&t);
}

int main(int argc, char **argv)
{
    bool stopped = argc > 1 && !strcmp(argv[1], "--stopped");
    uint64_t all = 0;
    FILE *f;
    int i;
    size_t slot;

    argv += stopped;
    argc -= stopped;
    f = argc > 2 ? fopen(argv[1], "rb") : NULL;
    if (!f || fread(counters, sizeof counters, 1, f) != 1) {
        printf("LOST: no counters in %s\n", argc > 1 ? argv[1] : "");
        return 1;
    }
    fclose(f);
    for (i = 2; i < argc; i++)
        look_at(argv[i], stopped);
    for (slot = 0; slot < SLOTS; slot++) {
        all += found[slot];
        if (stopped ? found[slot] > counters[slot] : found[slot] - counters[slot] > 1)
            lost("commands in the trace, commands completed", slot, found[slot], counters[slot]);
    }
    if (!all)
        lost("nothing recorded", 0, 0, 0);
    printf("%llu commands, %d failures\n", (unsigned long long)all, failures);
    return failures != 0;
}
