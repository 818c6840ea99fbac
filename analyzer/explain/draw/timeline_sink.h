/* timeline_sink.h - what a timeline consists of, for the formats that it is written in: groups of tracks,
 * slices on them, arrows between slices, counters. export_timeline.c feeds one of these sinks.
 *
 * Times are ns from the trace's start. A track or group is named before anything is put there. */
#ifndef CW_TIMELINE_SINK_H
#define CW_TIMELINE_SINK_H

#include <stdbool.h>
#include <stdio.h>

#include "../../record/trace.h"

struct cw_timeline_arg {
    const char *key, *text; /* text NULL: the number */
    uint64_t number;
};
struct cw_timeline_arrow {
    uint64_t id; /* of two ends; from 1 on */
    const char *name;
};
struct cw_timeline_slice {
    uint32_t group;
    uint64_t track;
    int64_t begin, end;
    bool instant; /* has no end */
    const char *name, *category;
    const struct cw_timeline_arg *args;
    const struct cw_timeline_arrow *out, *in; /* arrows that begin and end here */
    size_t arg_count, out_count, in_count;
};
enum cw_timeline_unit { CW_TIMELINE_SLICES, CW_TIMELINE_COMMANDS, CW_TIMELINE_BYTES };
struct cw_timeline_track {
    uint32_t group;
    uint64_t track;
    const char *name;
    enum cw_timeline_unit unit; /* CW_TIMELINE_SLICES: not a counter */
};

struct cw_timeline_sink {
    void (*group)(struct cw_timeline_sink *s, uint32_t group, const char *name);
    void (*track)(struct cw_timeline_sink *s, const struct cw_timeline_track *track);
    void (*slice)(struct cw_timeline_sink *s, const struct cw_timeline_slice *slice);
    /* The counter has this value from `ns` on. */
    void (*count)(struct cw_timeline_sink *s, const struct cw_timeline_track *track, int64_t ns,
                  int64_t value);
    /* Ends what is written and frees the sink. False: memory was out. */
    bool (*finish)(struct cw_timeline_sink *s);
};

/* Sinks that write to `f`; NULL: memory is out. `t` and `f` are borrowed. */
struct cw_timeline_sink *cw_timeline_json_create(const struct cw_trace *t, FILE *f);
struct cw_timeline_sink *cw_timeline_perfetto_create(const struct cw_trace *t, FILE *f);

/* Counters: for each queue the commands that are enqueued and have not ended, for each device the bytes
 * that are on their way. shift: of each device's clock (explain.h). group: of their tracks. False:
 * memory is out. */
bool cw_timeline_counters_put(struct cw_timeline_sink *s, uint32_t group, const struct cw_trace *t,
                              const int64_t *shift);

#endif
