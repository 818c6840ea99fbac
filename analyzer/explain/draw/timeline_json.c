/* timeline_json.c - Chrome's trace-event JSON: a group is a process, a track a thread of it; see
 * timeline_sink.h. */
#include "timeline_sink.h"
#include "../../io/json_out.h"

#include <stdlib.h>

struct json_sink {
    struct cw_timeline_sink sink;
    const struct cw_trace *t;
    struct cw_json_out out;
    bool any; /* an event was written */
};

static struct cw_json_out *begin_event(struct cw_timeline_sink *s)
{
    struct json_sink *j = (struct json_sink *)s;

    cw_json_put_text(&j->out, j->any ? ",\n" : "\n");
    j->any = true;
    cw_json_put_open(&j->out);
    return &j->out;
}

/* Nanoseconds as microseconds with three decimals, the format's unit. */
static void put_us(struct cw_json_out *o, const char *key, int64_t ns)
{
    char text[32];

    cw_json_put_key(o, key);
    snprintf(text, sizeof text, "%s%lld.%03d", ns < 0 ? "-" : "", (long long)llabs(ns / 1000),
             (int)llabs(ns % 1000));
    cw_json_put_text(o, text);
}

static void put_place(struct cw_json_out *o, const char *phase, uint32_t group, uint64_t track, int64_t ns)
{
    cw_json_put_member_text(o, "ph", phase);
    cw_json_put_member_u64(o, "pid", group);
    cw_json_put_member_u64(o, "tid", track);
    put_us(o, "ts", ns);
}

/* kind: "process_name" or "thread_name" */
static void put_name(struct cw_timeline_sink *s, const char *kind, uint32_t group, uint64_t track,
                     const char *name)
{
    struct cw_json_out *o = begin_event(s);

    cw_json_put_member_text(o, "ph", "M");
    cw_json_put_member_text(o, "name", kind);
    cw_json_put_member_u64(o, "pid", group);
    cw_json_put_member_u64(o, "tid", track);
    cw_json_put_key(o, "args");
    cw_json_put_open(o);
    cw_json_put_member_text(o, "name", name);
    cw_json_put_close(o);
    cw_json_put_close(o);
}

static void name_group(struct cw_timeline_sink *s, uint32_t group, const char *name)
{
    put_name(s, "process_name", group, 0, name);
}

/* Counters have their name in each event. */
static void name_track(struct cw_timeline_sink *s, const struct cw_timeline_track *track)
{
    if (track->unit == CW_TIMELINE_SLICES)
        put_name(s, "thread_name", track->group, track->track, track->name);
}

/* An arrow's ends must lie in slices: its tail in the last nanosecond of the source's. */
static void put_arrow_end(struct cw_timeline_sink *s, const char *phase, const struct cw_timeline_arrow *a,
                          const struct cw_timeline_slice *v, int64_t ns)
{
    struct cw_json_out *o = begin_event(s);

    cw_json_put_member_text(o, "name", a->name);
    cw_json_put_member_text(o, "cat", "dependence");
    put_place(o, phase, v->group, v->track, ns);
    cw_json_put_member_u64(o, "id", a->id);
    if (*phase == 'f')
        cw_json_put_member_text(o, "bp", "e"); /* bind to the slice around it, not to the next one */
    cw_json_put_close(o);
}

static void put_slice(struct cw_timeline_sink *s, const struct cw_timeline_slice *v)
{
    struct cw_json_out *o = begin_event(s);

    cw_json_put_member_text(o, "name", v->name);
    cw_json_put_member_text(o, "cat", v->category);
    put_place(o, v->instant ? "i" : "X", v->group, v->track, v->begin);
    if (v->instant)
        cw_json_put_member_text(o, "s", "t");
    else
        put_us(o, "dur", v->end > v->begin ? v->end - v->begin : 0);
    cw_json_put_key(o, "args");
    cw_json_put_open(o);
    for (size_t i = 0; i < v->arg_count; i++)
        if (v->args[i].text)
            cw_json_put_member_text(o, v->args[i].key, v->args[i].text);
        else
            cw_json_put_member_u64(o, v->args[i].key, v->args[i].number);
    cw_json_put_close(o);
    cw_json_put_close(o);
    for (size_t i = 0; i < v->out_count; i++)
        put_arrow_end(s, "s", &v->out[i], v, v->end > v->begin ? v->end - 1 : v->begin);
    for (size_t i = 0; i < v->in_count; i++)
        put_arrow_end(s, "f", &v->in[i], v, v->begin);
}

static void put_count(struct cw_timeline_sink *s, const struct cw_timeline_track *track, int64_t ns,
                      int64_t value)
{
    struct cw_json_out *o = begin_event(s);

    cw_json_put_member_text(o, "name", track->name);
    put_place(o, "C", track->group, track->track, ns);
    cw_json_put_key(o, "args");
    cw_json_put_open(o);
    cw_json_put_key(o, track->unit == CW_TIMELINE_BYTES ? "bytes" : "commands");
    cw_json_put_i64(o, value);
    cw_json_put_close(o);
    cw_json_put_close(o);
}

static bool finish(struct cw_timeline_sink *s)
{
    struct json_sink *j = (struct json_sink *)s;

    cw_json_put_text(&j->out, "\n],\"otherData\":{\"program\":");
    cw_json_put_string(&j->out, j->t->process.program);
    cw_json_put_text(&j->out, "}}\n");
    cw_json_out_flush(&j->out);
    free(j);
    return true;
}

struct cw_timeline_sink *cw_timeline_json_create(const struct cw_trace *t, FILE *f)
{
    struct json_sink *j = malloc(sizeof *j);

    if (!j)
        return NULL;
    j->sink = (struct cw_timeline_sink){name_group, name_track, put_slice, put_count, finish};
    j->t = t;
    j->any = false;
    cw_json_out_init(&j->out, f);
    cw_json_put_text(&j->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return &j->sink;
}
