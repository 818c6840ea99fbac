/* use_trace.h - everything that the tool does with a trace that a reader has accepted. */
#ifndef FUZZ_USE_TRACE_H
#define FUZZ_USE_TRACE_H

#include "../../analyzer/explain/draw/exporter.h"
#include "../../analyzer/explain/draw/report.h"
#include "../../analyzer/graph/graph_build.h"
#include "../../analyzer/explain/graph_summary.h"
#include "../../analyzer/graph/selection.h"
#include "../../analyzer/graph/trace_read.h"
#include "../../analyzer/plan/plan_graph.h"
#include "../../analyzer/record/trace_write.h"
#include "../../sched/policy.h"
#include "harness.h"

/* A graph that a policy can plan comes of every trace that is one, or a message. */
static inline void fuzz_plan_trace(const struct cw_trace *t)
{
    struct cw_policy_config config;
    struct cw_plan_graph pg = {0};
    struct cw_schedule *s = NULL;
    struct cw_error err = {0};

    cw_policy_config_init(&config, cw_policy_find("heft"));
    if (cw_plan_graph_init(&pg, t, NULL, NULL, false, &err) == CW_OK &&
        cw_policy_run(&config, pg.graph, pg.platform, &s, &err) == CW_OK)
        FUZZ_PROMISE(cw_schedule_check(s, pg.graph, pg.platform, cw_policy_sharing(&config), 0, &err) ==
                         CW_OK,
                     "plan: %s", err.text);
    cw_schedule_destroy(s);
    cw_plan_graph_finish(&pg);
}

/* A part of it is a trace like others. */
static inline void fuzz_part_trace(struct cw_trace *t)
{
    struct cw_error err = {0};
    struct cw_trace_place place;

    if (cw_selection_apply(t, &(struct cw_selection){.kernel = "[a-m]", .commands = "1.."}, &err) != CW_OK) {
        FUZZ_PROMISE(err.text[0], "a part: no message");
        return;
    }
    FUZZ_PROMISE(cw_trace_check(t, &place, &err) == CW_OK, "a part: %s", err.text);
    (void)cw_trace_write(t, fuzz_nowhere(), &err);
    (void)cw_report_write(t, &(struct cw_report_options){0}, fuzz_nowhere(), &err);
}

static inline char *fuzz_text_of(const struct cw_trace *t, size_t *length)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    struct cw_error err = {0};

    FUZZ_PROMISE(f && cw_trace_write(t, f, &err) == CW_OK, "write: %s", err.text);
    fclose(f);
    return text;
}

/* A trace that is written and read again is the same. */
static inline void fuzz_write_again(const struct cw_trace *t)
{
    size_t length, again_length;
    char *text = fuzz_text_of(t, &length), *again;
    struct cw_error err = {0};
    struct cw_trace u;

    cw_trace_init(&u);
    FUZZ_PROMISE(cw_trace_load_text(&u, "written", text, length, &err) == CW_OK, "written: %s", err.text);
    again = fuzz_text_of(&u, &again_length);
    FUZZ_PROMISE(length == again_length && !memcmp(text, again, again_length), "written: %s",
                 "it has lost something");
    cw_trace_finish(&u);
    free(text);
    free(again);
}

static inline void fuzz_use_trace(struct cw_trace *t)
{
    static const struct cw_export_options all = {.queue_edges = true, .limit = 200};
    struct cw_error err = {0};
    uint32_t *order;

    fuzz_write_again(t);
    cw_graph_summary_print(t, fuzz_nowhere());
    (void)cw_export_dot(t, &all, fuzz_nowhere(), &err);
    (void)cw_export_timeline(t, &all, fuzz_nowhere(), &err);
    (void)cw_export_timeline(t, &(struct cw_export_options){.perfetto = true}, fuzz_nowhere(), &err);
    (void)cw_report_write(t, &(struct cw_report_options){0}, fuzz_nowhere(), &err);
    err = (struct cw_error){0};
    FUZZ_PROMISE(cw_graph_build(t, NULL, &err) == CW_OK, "graph: %s", err.text);
    order = malloc((t->commands.count + 1) * sizeof *order);
    FUZZ_PROMISE(order && cw_sweep_topological_order(t, order, &err) == CW_OK, "built graph: %s", err.text);
    free(order);
    (void)cw_export_dot(t, &all, fuzz_nowhere(), &err);
    fuzz_plan_trace(t);
    fuzz_part_trace(t);
}

#endif
