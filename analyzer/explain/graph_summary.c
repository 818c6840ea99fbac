/* graph_summary.c - see graph_summary.h. */
#include "graph_summary.h"
#include "../io/quantity.h"
#include "../record/command_facts.h"
#include "../graph/graph_build.h"
#include "explain.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *kernel_name(const struct cw_trace *t, uint32_t kernel)
{
    return kernel < t->kernels.count && t->kernels.v[kernel].name ? t->kernels.v[kernel].name : "?";
}

/* The row that command k counts in, NULL when memory is out. */
static struct cw_summary_row *row_of(struct cw_graph_summary *s, size_t *capacity, const struct cw_trace *t,
                                     const struct cw_command *k)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (s->rows[i].type == k->type &&
            (s->rows[i].kernel == k->kernel ||
             (s->rows[i].kernel != CW_NONE && k->kernel != CW_NONE &&
              strcmp(kernel_name(t, s->rows[i].kernel), kernel_name(t, k->kernel)) == 0))) {
            struct cw_summary_row found = s->rows[i];
            if (i > 0) { /* repeated commands are found at once the next time */
                s->rows[i] = s->rows[i - 1];
                s->rows[--i] = found;
            }
            return &s->rows[i];
        }
    if (!cw_array_reserve(&s->rows, capacity, s->row_count, 1, sizeof *s->rows))
        return NULL;
    s->rows[s->row_count] = (struct cw_summary_row){.type = k->type, .kernel = k->kernel};
    return &s->rows[s->row_count++];
}

static int by_weight(const void *a, const void *b)
{
    const struct cw_summary_row *x = a, *y = b;

    if (x->device_ns != y->device_ns)
        return x->device_ns > y->device_ns ? -1 : 1;
    if (x->commands != y->commands)
        return x->commands > y->commands ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

static bool count_commands(struct cw_graph_summary *s, const struct cw_trace *t)
{
    size_t capacity = 0;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        struct cw_summary_row *row = row_of(s, &capacity, t, k);
        if (!row)
            return false;
        row->commands++;
        row->failed += cw_trace_command_is_enqueue(k) && !cw_command_works(k);
        row->at_most |= !cw_command_bytes_are_exact(t, k);
        row->device_ns += cw_command_device_ns(k);
        row->timed += cw_command_device_ns(k) > 0;
        for (uint32_t n = 0; n < k->accesses.count; n++) {
            const struct cw_t_access *a = &t->accesses.v[k->accesses.first + n];
            row->read_bytes += a->mode & CW_ACCESS_READ ? a->bytes : 0;
            row->written_bytes += a->mode & CW_ACCESS_WRITE ? a->bytes : 0;
        }
        if (!cw_trace_command_is_enqueue(k)) {
            s->host_waits += k->type != CW_HOST_FLUSH;
            continue;
        }
        s->enqueues++;
        s->works += cw_command_works(k);
        s->without_times += cw_command_lacks_time(k);
        s->device_ns += cw_command_device_ns(k);
    }
    if (s->row_count)
        qsort(s->rows, s->row_count, sizeof *s->rows, by_weight);
    return true;
}

/* False: memory is out. */
static bool measure_busy(struct cw_graph_summary *s, const struct cw_trace *t)
{
    struct cw_interval *v = malloc((t->commands.count + 1) * sizeof *v);
    int64_t *shift = calloc(t->devices.count + 1, sizeof *shift);
    size_t n = 0;

    if (v && shift) {
        cw_device_clock_shifts(t, shift);
        for (size_t i = 0; i < t->commands.count; i++) {
            const struct cw_command *k = &t->commands.v[i];
            uint32_t device = cw_trace_command_device(t, k);
            int64_t to_host = device < t->devices.count ? shift[device] : 0;
            if (cw_command_device_ns(k))
                v[n++] = (struct cw_interval){cw_device_clock_on_host(k->start_ns, to_host),
                                              cw_device_clock_on_host(k->end_ns, to_host)};
        }
        s->busy_ns = cw_interval_union(v, n);
    }
    free(v);
    free(shift);
    return v && shift;
}

static enum cw_status longest_paths(struct cw_graph_summary *s, const struct cw_trace *t,
                                    struct cw_error *err)
{
    struct cw_critical_path time = {0}, count = {0};
    enum cw_status status = cw_critical_path_init(&count, t, CW_WEIGHT_COUNT, err);

    if (!status && s->device_ns)
        status = cw_critical_path_init(&time, t, CW_WEIGHT_TIME, err);
    s->timed = s->device_ns && !s->without_times;
    if (!status)
        status = cw_versions_measure(&s->versions, t, s->timed ? &time : &count,
                                     s->timed ? CW_WEIGHT_TIME : CW_WEIGHT_COUNT, err);
    s->longest_chain = count.length;
    s->critical_path_ns = time.length;
    cw_critical_path_finish(&count);
    cw_critical_path_finish(&time);
    return status;
}

enum cw_status cw_graph_summary_init(struct cw_graph_summary *s, const struct cw_trace *t,
                                     struct cw_error *err)
{
    struct cw_races races;

    memset(s, 0, sizeof *s);
    if (!count_commands(s, t) || (s->device_ns && !measure_busy(s, t)))
        return cw_error_set(err, CW_ERR_NOMEM, "summary: out of memory");
    for (size_t i = 0; i < t->edges.count; i++) {
        s->edges[t->edges.v[i].kind]++;
        s->hazards[t->edges.v[i].hazard]++;
        s->unproven += t->edges.v[i].unproven;
        s->binding += cw_graph_edge_binds(&t->edges.v[i]);
    }
    if (cw_races_find(&races, t, err))
        return CW_ERR_NOMEM;
    s->races = races.count;
    cw_races_finish(&races);
    return longest_paths(s, t, err);
}

bool cw_graph_summary_reuses(const struct cw_graph_summary *s)
{
    return s->versions.reuse && (double)s->versions.length[0] >= 1.2 * (double)s->versions.results;
}

void cw_graph_summary_print_reuse(const struct cw_graph_summary *s, FILE *f)
{
    const struct cw_versions *v = &s->versions;

    if (!cw_graph_summary_reuses(s))
        return;
    fprintf(f, "memory that is used again makes %llu of its %s (WAR, WAW alone), %llu by memory %u: ",
            (unsigned long long)v->reuse, CW_COUNT(v->steps, "step"), (unsigned long long)v->memory_reuse,
            v->memory);
    for (int i = 1; i < CW_VERSION_STEPS; i++)
        fprintf(f, "%s%.1f", i > 1 ? ", " : "", (double)v->length[0] / (double)v->length[i]);
    fprintf(f, " times as short with 2, 4, 8, 16 versions of buffers (RAW alone: %.1f)\n",
            (double)v->length[0] / (double)v->results);
}

double cw_graph_summary_gain(const struct cw_graph_summary *s)
{
    double gain = s->critical_path_ns ? (double)s->busy_ns / (double)s->critical_path_ns : 1;

    return gain > 1 ? gain : 1;
}

void cw_graph_summary_finish(struct cw_graph_summary *s)
{
    free(s->rows);
    memset(s, 0, sizeof *s);
}

static const char *row_name(const struct cw_trace *t, const struct cw_summary_row *r)
{
    return r->kernel != CW_NONE ? kernel_name(t, r->kernel) : cw_trace_command_short_name(r->type);
}

/* "<=1.5 KiB" in `text` of 20 bytes, which is returned. */
static const char *row_bytes(const struct cw_summary_row *r, uint64_t bytes, char text[20])
{
    char plain[16];

    if (!r->read_bytes && !r->written_bytes)
        return "-";
    snprintf(text, 20, "%s%s", r->at_most && bytes ? "<=" : "", cw_quantity_bytes(bytes, plain));
    return text;
}

static void print_rows(const struct cw_trace *t, const struct cw_graph_summary *s, FILE *f)
{
    char a[20], b[20], c[16];
    bool at_most = false;

    fprintf(f, "%10s  %-32s %12s %12s %12s\n", "commands", "name", "reads", "writes", "device time");
    for (size_t i = 0; i < s->row_count; i++) {
        const struct cw_summary_row *r = &s->rows[i];
        fprintf(f, "%10llu  %-32s %12s %12s %12s\n", (unsigned long long)r->commands, row_name(t, r),
                row_bytes(r, r->read_bytes, a), row_bytes(r, r->written_bytes, b),
                r->device_ns ? cw_quantity_ns(r->device_ns, c) : "-");
        if (r->failed)
            fprintf(f, "%10llu  of these failed\n", (unsigned long long)r->failed);
        at_most |= r->at_most && (r->read_bytes || r->written_bytes);
    }
    if (at_most)
        fputs("<=: at most, all that these commands may touch\n", f);
}

static void print_edges(const struct cw_graph_summary *s, FILE *f)
{
    fprintf(f, "\n%10s  %s\n", "edges", "kind");
    for (unsigned k = 0; k < CW_EDGE_KINDS; k++)
        if (s->edges[k])
            fprintf(f, "%10llu  %s%s\n", (unsigned long long)s->edges[k], cw_graph_edge_kind_name(k),
                    k == CW_EDGE_QUEUE  ? " (implied by the queue, does not bind a reordering)"
                    : k == CW_EDGE_PATH ? " (through commands that the selection leaves out)"
                                        : "");
    for (unsigned h = 1; h < 4; h++)
        if (s->hazards[h])
            fprintf(f, "%10llu    %s\n", (unsigned long long)s->hazards[h], cw_graph_hazard_name(h));
    if (s->races)
        fprintf(
            f,
            "%10llu    of these between commands that the program keeps in no order: a race, if they touch "
            "these bytes\n",
            (unsigned long long)s->races);
    if (s->unproven)
        fprintf(f,
                "%10llu  of these unproven: they bind, but go if const and CL_MEM_ flags are true "
                "(--trust-declared)\n",
                (unsigned long long)s->unproven);
}

static void print_gain(const struct cw_graph_summary *s, FILE *f)
{
    char a[16], b[16];

    fprintf(f, "critical path %s; devices busy for %s", cw_quantity_ns(s->critical_path_ns, a),
            cw_quantity_ns(s->busy_ns, b));
    if (s->device_ns > s->busy_ns)
        fprintf(f, ", %s of commands side by side", cw_quantity_ns(s->device_ns, a));
    fprintf(f, ": at most %.2f times as fast with enough devices\n", cw_graph_summary_gain(s));
}

void cw_graph_summary_print(const struct cw_trace *t, FILE *f)
{
    struct cw_graph_summary s;
    struct cw_error err = {0};
    char a[16], b[16];

    if (cw_graph_summary_init(&s, t, &err)) {
        fprintf(f, "%s\n", err.text);
        cw_graph_summary_finish(&s);
        return;
    }
    fprintf(f, "%s: %s on %s, %s\n", t->process.program ? t->process.program : "?",
            CW_COUNT(s.enqueues, "command"), CW_COUNT(t->queues.count, "queue"),
            CW_COUNT(s.host_waits, "host wait"));
    if (t->process.dropped_commands)
        fprintf(f, "the newest commands: %llu before them were dropped (--limit)\n",
                (unsigned long long)t->process.dropped_commands);
    if (t->process.impossible_times)
        fprintf(f, "device times of %s left out, as they cannot be: the vendor's profiling has no clock\n",
                CW_COUNT(t->process.impossible_times, "command"));
    if (t->process.selection)
        fprintf(f, "selected by %s: %zu of %s, waits among them\n", t->process.selection, t->commands.count,
                CW_COUNT(t->process.whole_commands, "command"));
    if (!t->process.complete && !t->process.stopped_why)
        fprintf(f, "the program ended abruptly: the trace reaches to its last completed call\n");
    if (t->process.stopped_why)
        fprintf(f, "recording stopped early: %s\n", t->process.stopped_why);
    print_rows(t, &s, f);
    print_edges(&s, f);
    fprintf(f, "\nlongest chain of binding edges: %llu of %s\n", (unsigned long long)s.longest_chain,
            CW_COUNT(s.works, "command"));
    if (t->process.times_every)
        fprintf(f, "device times of one command in %llu, drawn by lot: times are at least what is said\n",
                (unsigned long long)t->process.times_every);
    if (s.critical_path_ns && s.without_times)
        fprintf(f,
                "critical path at least %s of at least %s device time: %llu of %s have no device "
                "time, so what more devices could gain is not known (--device-times)\n",
                cw_quantity_ns(s.critical_path_ns, a), cw_quantity_ns(s.device_ns, b),
                (unsigned long long)s.without_times, CW_COUNT(s.works, "command"));
    else if (s.critical_path_ns)
        print_gain(&s, f);
    else if (s.enqueues)
        fprintf(f, "no device times: trace with --device-times to get a critical path\n");
    cw_graph_summary_print_reuse(&s, f);
    cw_graph_summary_finish(&s);
}

static json_t *versions_json(const struct cw_graph_summary *s)
{
    const struct cw_versions *v = &s->versions;
    json_t *length = json_array();

    for (int i = 0; i < CW_VERSION_STEPS; i++)
        json_array_append_new(length, json_integer((json_int_t)v->length[i]));
    return json_pack("{s:b, s:o, s:I, s:I, s:I}", "timed", (int)s->timed, "length", length, "results",
                     (json_int_t)v->results, "steps", (json_int_t)v->steps, "reuse", (json_int_t)v->reuse);
}

enum cw_status cw_graph_summary_json(const struct cw_trace *t, FILE *f, struct cw_error *err)
{
    struct cw_graph_summary s;
    json_t *root = json_object(), *rows = json_array(), *edges = json_object(), *hazards = json_object();
    enum cw_status status = cw_graph_summary_init(&s, t, err);
    bool ok = !status && root && rows && edges && hazards;

    for (size_t i = 0; ok && i < s.row_count; i++) {
        const struct cw_summary_row *r = &s.rows[i];
        ok = json_array_append_new(rows,
                                   json_pack("{s:s, s:s*, s:I, s:I, s:I, s:I, s:b, s:I}", "type",
                                             cw_trace_command_type_name(r->type), "kernel",
                                             r->kernel == CW_NONE ? NULL : kernel_name(t, r->kernel),
                                             "commands", (json_int_t)r->commands, "failed",
                                             (json_int_t)r->failed, "read_bytes", (json_int_t)r->read_bytes,
                                             "written_bytes", (json_int_t)r->written_bytes, "bytes_at_most",
                                             (int)r->at_most, "device_ns", (json_int_t)r->device_ns)) == 0;
    }
    for (unsigned k = 0; ok && k < CW_EDGE_KINDS; k++)
        ok =
            json_object_set_new(edges, cw_graph_edge_kind_name(k), json_integer((json_int_t)s.edges[k])) == 0;
    for (unsigned h = 1; ok && h < 4; h++)
        ok = json_object_set_new(hazards, cw_graph_hazard_name(h), json_integer((json_int_t)s.hazards[h])) ==
             0;
    ok = ok && json_object_set_new(root, "enqueues", json_integer((json_int_t)s.enqueues)) == 0 &&
         json_object_set_new(root, "host_waits", json_integer((json_int_t)s.host_waits)) == 0 &&
         json_object_set_new(root, "complete", json_boolean(t->process.complete)) == 0 &&
         json_object_set(root, "commands", rows) == 0 && json_object_set(root, "edges", edges) == 0 &&
         json_object_set(root, "hazards", hazards) == 0 &&
         json_object_set_new(root, "unproven", json_integer((json_int_t)s.unproven)) == 0 &&
         json_object_set_new(root, "races", json_integer((json_int_t)s.races)) == 0 &&
         json_object_set_new(root, "longest_chain", json_integer((json_int_t)s.longest_chain)) == 0 &&
         json_object_set_new(root, "device_ns", json_integer((json_int_t)s.device_ns)) == 0 &&
         json_object_set_new(root, "busy_ns", json_integer((json_int_t)s.busy_ns)) == 0 &&
         json_object_set_new(root, "without_times", json_integer((json_int_t)s.without_times)) == 0 &&
         json_object_set_new(root, "critical_path_ns", json_integer((json_int_t)s.critical_path_ns)) == 0 &&
         json_object_set_new(root, "versions", versions_json(&s)) == 0;
    if (ok && json_dumpf(root, f, JSON_INDENT(1)) == 0)
        fputc('\n', f);
    else if (!status)
        status =
            cw_error_set(err, CW_ERR_NOMEM,
                         "summary: cannot make the JSON text (out of memory, or a name that is not UTF-8)");
    json_decref(root);
    json_decref(rows);
    json_decref(edges);
    json_decref(hazards);
    cw_graph_summary_finish(&s);
    return status;
}
