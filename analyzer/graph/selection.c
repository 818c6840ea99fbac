/* selection.c - see selection.h. */
#include "selection.h"
#include "../io/quantity.h"
#include "../record/command_facts.h"
#include "graph_parts.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <CL/cl.h>

struct subset {
    struct cw_trace *t;
    uint32_t *id;     /* of each command; CW_NONE: it goes */
    uint32_t *before; /* kept commands before each; one more than there are commands */
};

static uint32_t new_id(const struct subset *s, uint32_t command)
{
    return command == CW_NONE ? CW_NONE : s->id[command];
}

static bool number(struct subset *s, const uint8_t *keep)
{
    size_t n = s->t->commands.count;
    uint32_t stay = 0;

    s->id = malloc((n + 1) * sizeof *s->id);
    s->before = malloc((n + 1) * sizeof *s->before);
    if (!s->id || !s->before)
        return false;
    for (size_t i = 0; i < n; i++) {
        s->before[i] = stay;
        s->id[i] = keep[i] ? stay++ : CW_NONE;
    }
    s->before[n] = stay;
    return true;
}

/* A wait list without the commands that go. User events that were never set stay in it. */
static void shorten_waits(const struct subset *s, struct cw_slice *list)
{
    uint32_t *v, n = 0;

    if (!list->count)
        return;
    v = s->t->waits.v + list->first;
    for (uint32_t i = 0; i < list->count; i++)
        if (v[i] == CW_NONE || s->id[v[i]] != CW_NONE)
            v[n++] = new_id(s, v[i]);
    list->count = n;
}

static void take_commands(struct subset *s)
{
    struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->commands.count; i++) {
        struct cw_command k = t->commands.v[i];
        if (s->id[i] == CW_NONE)
            continue;
        k.origin = cw_trace_command_number(t, (uint32_t)i);
        if (k.origin == s->id[i])
            k.origin = 0;
        shorten_waits(s, &k.wait_list);
        if (k.transfer != CW_NONE)
            t->transfers.v[k.transfer].map_command = new_id(s, t->transfers.v[k.transfer].map_command);
        t->commands.v[s->id[i]] = k;
    }
}

static void take_edges(struct subset *s)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->edges.count; i++) {
        struct cw_edge e = t->edges.v[i];
        e.from = s->id[e.from];
        e.to = s->id[e.to];
        if (e.from != CW_NONE && e.to != CW_NONE)
            t->edges.v[n++] = e;
    }
    t->edges.count = n;
    if (n)
        qsort(t->edges.v, n, sizeof *t->edges.v, cw_edge_compare);
}

static size_t take_parts(const struct subset *s, struct cw_t_part *v, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (s->id[v[i].command] != CW_NONE) {
            v[n] = v[i];
            v[n++].command = s->id[v[i].command];
        }
    return n;
}

static void take_moves(struct subset *s)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->moves.count; i++)
        if (new_id(s, t->moves.v[i].command) != CW_NONE) {
            t->moves.v[n] = t->moves.v[i];
            t->moves.v[n++].command = s->id[t->moves.v[i].command];
        }
    t->moves.count = n;
}

/* A use by a command of the part, or by another call. */
static void take_stale(struct subset *s)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->stale.count; i++) {
        struct cw_t_stale x = t->stale.v[i];
        if ((x.command != CW_NONE && s->id[x.command] == CW_NONE) ||
            (x.event != CW_NONE && s->id[x.event] == CW_NONE))
            continue;
        x.command = new_id(s, x.command);
        x.event = new_id(s, x.event);
        t->stale.v[n++] = x;
    }
    t->stale.count = n;
}

static void take_calls(struct subset *s, uint64_t from_ns, uint64_t to_ns)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->calls.count; i++)
        if (t->calls.v[i].begin_ns >= from_ns && t->calls.v[i].begin_ns < to_ns)
            t->calls.v[n++] = t->calls.v[i];
    t->calls.count = n;
}

/* Objects on host memory say between which commands they lived. An object that no kept command can have seen
 * keeps a life of one command, so that it does not count as living to the end. */
static void count_lives(struct subset *s)
{
    struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->memory.count; i++) {
        struct cw_t_memory *m = &t->memory.v[i];
        size_t made = m->made < t->commands.count ? m->made : t->commands.count,
               released = m->released < t->commands.count ? m->released : t->commands.count;
        m->made = s->before[made];
        if (m->released)
            m->released = s->before[released] ? s->before[released] : 1;
    }
}

/* Takes the commands out of `t` for which keep[command] is 0, and what belongs to them: edges at them, their
 * places in wait lists, their parts, plans and moves, calls outside [from_ns, to_ns) of the host's clock.
 * Commands get new ids in their old order; `origin` of each says its number. Objects stay. CW_ERR_NOMEM. */
static enum cw_status trace_subset(struct cw_trace *t, const uint8_t *keep, uint64_t from_ns, uint64_t to_ns,
                                   struct cw_error *err)
{
    struct subset s = {.t = t};
    bool good = number(&s, keep);

    if (good) {
        take_commands(&s);
        take_edges(&s);
        t->parts.count = take_parts(&s, t->parts.v, t->parts.count);
        t->plans.count = take_parts(&s, t->plans.v, t->plans.count);
        take_moves(&s);
        take_stale(&s);
        take_calls(&s, from_ns, to_ns);
        count_lives(&s);
        t->commands.count = s.before[t->commands.count];
    }
    free(s.id);
    free(s.before);
    return good ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "selection: out of memory");
}

struct bounds {
    uint64_t first, last; /* both included */
};

/* The options, read. */
struct query {
    struct bounds commands, windows;
    uint64_t from_ns, to_ns; /* behind the start of recording */
    regex_t kernel;
    bool has_kernel;
};

bool cw_selection_given(const struct cw_selection *s)
{
    return s->from || s->to || s->kernel || s->commands || s->windows;
}

/* ---- reading the options */

static bool read_number(const char *text, size_t length, uint64_t *number)
{
    uint64_t v = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)text[i] - '0';
        if (digit > 9 || v > (UINT64_MAX - digit) / 10)
            return false;
        v = 10 * v + digit;
    }
    *number = v;
    return length > 0;
}

static enum cw_status read_range(const char *option, const char *text, struct bounds *b, struct cw_error *err)
{
    const char *dots = text ? strstr(text, "..") : NULL;
    size_t length = text ? strlen(text) : 0, head = dots ? (size_t)(dots - text) : length;
    bool good;

    *b = (struct bounds){0, UINT64_MAX};
    if (!text)
        return CW_OK;
    good = (dots && !head && length > 2) || read_number(text, head, &b->first);
    if (dots && length > head + 2)
        good = good && read_number(dots + 2, length - head - 2, &b->last);
    else if (!dots)
        b->last = b->first;
    if (!good)
        return cw_error_set(err, CW_ERR_INVALID,
                            "--%s: '%.60s' is no range; write it as 10..20, 10.., ..20 or 10", option, text);
    if (b->first > b->last)
        return cw_error_set(err, CW_ERR_INVALID,
                            "--%s: the range '%.60s' is empty, as it ends before it begins", option, text);
    return CW_OK;
}

static enum cw_status read_time(const char *option, const char *text, uint64_t *ns, struct cw_error *err)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}};
    char *end = NULL;
    double v;

    if (!text)
        return CW_OK;
    v = *text >= '0' && *text <= '9' ? strtod(text, &end) : -1;
    for (size_t i = 0; v >= 0 && i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].name) && v * units[i].ns < 9e18) {
            *ns = (uint64_t)llround(v * units[i].ns);
            return CW_OK;
        }
    return cw_error_set(
        err, CW_ERR_INVALID,
        "--%s: '%.60s' is no time behind the start of recording; write it as 1.5s, 200ms, 30us or "
        "500ns",
        option, text);
}

static enum cw_status read_kernel(struct query *q, const char *text, struct cw_error *err)
{
    char why[128];
    int code;

    if (!text)
        return CW_OK;
    code = regcomp(&q->kernel, text, REG_EXTENDED | REG_NOSUB);
    if (!code) {
        q->has_kernel = true;
        return CW_OK;
    }
    regerror(code, &q->kernel, why, sizeof why);
    return cw_error_set(err, CW_ERR_INVALID, "--kernel: '%.80s' is no extended regular expression: %s", text,
                        why);
}

static enum cw_status read_query(struct query *q, const struct cw_selection *s, struct cw_error *err)
{
    enum cw_status status = read_range("commands", s->commands, &q->commands, err);

    q->to_ns = UINT64_MAX;
    if (!status)
        status = read_range("windows", s->windows, &q->windows, err);
    if (!status)
        status = read_time("from", s->from, &q->from_ns, err);
    if (!status)
        status = read_time("to", s->to, &q->to_ns, err);
    if (!status && q->to_ns <= q->from_ns)
        status =
            cw_error_set(err, CW_ERR_INVALID,
                         "--from, --to: the time from %.60s to %.60s is empty, as it ends before it begins",
                         s->from ? s->from : "0", s->to);
    return status ? status : read_kernel(q, s->kernel, err);
}

static void finish_query(struct query *q)
{
    if (q->has_kernel)
        regfree(&q->kernel);
}

enum cw_status cw_selection_check(const struct cw_selection *s, struct cw_error *err)
{
    struct query q = {0};
    enum cw_status status = read_query(&q, s, err);

    finish_query(&q);
    return status;
}

/* ---- which commands */

static uint64_t since_start(const struct cw_trace *t, const struct cw_command *k)
{
    return k->call_begin_ns > t->process.start_ns ? k->call_begin_ns - t->process.start_ns : 0;
}

static bool matches(const struct query *q, const struct cw_trace *t, const struct cw_command *k)
{
    const char *name = k->kernel < t->kernels.count ? t->kernels.v[k->kernel].name : NULL;

    return name && regexec(&q->kernel, name, 0, NULL, 0) == 0;
}

/* Commands that only order others. */
static bool orders_only(const struct cw_command *k)
{
    return k->type == CL_COMMAND_MARKER || k->type == CL_COMMAND_BARRIER || !cw_trace_command_is_enqueue(k);
}

/* Fills keep[]; returns how many are chosen, without those that are to join. */
static size_t choose(const struct query *q, const struct cw_trace *t, uint8_t *keep)
{
    uint64_t window = 0;
    size_t chosen = 0;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint64_t number = cw_trace_command_number(t, (uint32_t)i), at = since_start(t, k);
        bool in = number >= q->commands.first && number <= q->commands.last && window >= q->windows.first &&
                  window <= q->windows.last && at >= q->from_ns && at < q->to_ns;
        window += cw_command_is_wait(k);
        keep[i] = !in                                  ? CW_CONTRACT_DROP
                  : !q->has_kernel || matches(q, t, k) ? CW_CONTRACT_KEEP
                  : orders_only(k)                     ? CW_CONTRACT_JOIN
                                                       : CW_CONTRACT_DROP;
        chosen += keep[i] == CW_CONTRACT_KEEP;
    }
    return chosen;
}

/* ---- nothing matches: what there is */

enum { NAMES_SHOWN = 8 };

/* The names of the kernels that the trace launches, some of them, in `text`. */
static void list_kernels(const struct cw_trace *t, char *text, size_t size)
{
    const char *shown[NAMES_SHOWN];
    size_t n = 0, length = 0;

    *text = '\0';
    for (size_t i = 0; i < t->commands.count && n <= NAMES_SHOWN; i++) {
        const uint32_t kernel = t->commands.v[i].kernel;
        const char *name = kernel < t->kernels.count ? t->kernels.v[kernel].name : NULL;
        size_t k = 0;
        while (name && k < n && k < NAMES_SHOWN && strcmp(shown[k], name) != 0)
            k++;
        if (!name || k < n)
            continue;
        if (n++ == NAMES_SHOWN)
            name = "...";
        else
            shown[n - 1] = name;
        if (length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%.40s", length ? ", " : "", name);
    }
    if (!n)
        snprintf(text, size, "no kernels");
}

static enum cw_status nothing_of(const struct cw_selection *s, const struct cw_trace *t, struct cw_error *err)
{
    const size_t n = t->commands.count;
    uint64_t windows = 1, last = 0;
    char names[400], time[16];

    for (size_t i = 0; i < n; i++) {
        windows += cw_command_is_wait(&t->commands.v[i]) && i + 1 < n;
        if (since_start(t, &t->commands.v[i]) > last)
            last = since_start(t, &t->commands.v[i]);
    }
    if (!n)
        return cw_error_set(err, CW_ERR_NOTFOUND, "nothing can be selected: the trace has no commands");
    if (s->kernel) {
        list_kernels(t, names, sizeof names);
        return cw_error_set(err, CW_ERR_NOTFOUND,
                            "--kernel: no launch that the other options select is of a kernel that '%.60s' "
                            "matches; the trace launches %.380s",
                            s->kernel, names);
    }
    if (s->commands && !s->windows && !s->from && !s->to)
        return cw_error_set(err, CW_ERR_NOTFOUND, "--commands %.60s: the trace has commands %u to %u",
                            s->commands, cw_trace_command_number(t, 0),
                            cw_trace_command_number(t, (uint32_t)n - 1));
    if (s->windows && !s->commands && !s->from && !s->to)
        return cw_error_set(err, CW_ERR_NOTFOUND, "--windows %.60s: the trace has windows 0 to %llu",
                            s->windows, (unsigned long long)windows - 1);
    return cw_error_set(
        err, CW_ERR_NOTFOUND,
        "nothing is selected: the trace has commands %u to %u in windows 0 to %llu, the last %s "
        "behind the start of recording",
        cw_trace_command_number(t, 0), cw_trace_command_number(t, (uint32_t)n - 1),
        (unsigned long long)windows - 1, cw_quantity_ns(last, time));
}

enum cw_status cw_selection_mark(const struct cw_trace *t, const struct cw_selection *s, uint8_t *in,
                                 struct cw_error *err)
{
    struct query q = {0};
    enum cw_status status = read_query(&q, s, err);

    if (!status && !choose(&q, t, in))
        status = nothing_of(s, t, err);
    finish_query(&q);
    return status;
}

/* ---- the part's description */

/* Behind an earlier selection's text, as a trace may be a selection already. */
static const char *describe(struct cw_trace *t, const struct cw_selection *s)
{
    const char *const given[][2] = {{"from", s->from},
                                    {"to", s->to},
                                    {"commands", s->commands},
                                    {"windows", s->windows},
                                    {"kernel", s->kernel}};
    char text[1024];
    size_t n =
        (size_t)snprintf(text, sizeof text, "%.500s", t->process.selection ? t->process.selection : "");

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i][1] && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s--%s %.120s", n ? " " : "", given[i][0],
                                  given[i][1]);
    return cw_trace_strdup(t, text);
}

/* The time that the part takes: as asked for, else from its first call to its last. */
static void measure_span(struct cw_trace *t, const struct query *q, const uint8_t *keep)
{
    const uint64_t start = t->process.start_ns;
    uint64_t from = UINT64_MAX, to = 0;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        if (keep[i] && k->call_begin_ns && k->call_begin_ns < from)
            from = k->call_begin_ns;
        if (keep[i] && k->call_end_ns > to)
            to = k->call_end_ns;
    }
    t->process.selected_from_ns = q->from_ns ? start + q->from_ns : from == UINT64_MAX ? start : from;
    t->process.selected_to_ns =
        q->to_ns != UINT64_MAX && start + q->to_ns < t->process.end_ns ? start + q->to_ns : to;
}

static enum cw_status select_by(struct cw_trace *t, const struct cw_selection *s, const struct query *q,
                                uint8_t *keep, struct cw_error *err)
{
    enum cw_status status;

    if (!choose(q, t, keep))
        return nothing_of(s, t, err);
    status = cw_contract(t, keep, err);
    if (status)
        return status;
    if (!t->process.whole_commands)
        t->process.whole_commands = t->commands.count;
    t->process.selection = describe(t, s);
    measure_span(t, q, keep);
    if (!t->process.selection)
        return cw_error_set(err, CW_ERR_NOMEM, "selection: out of memory");
    return trace_subset(t, keep, t->process.selected_from_ns, t->process.selected_to_ns, err);
}

enum cw_status cw_selection_apply(struct cw_trace *t, const struct cw_selection *s, struct cw_error *err)
{
    struct query q = {0};
    uint8_t *keep;
    enum cw_status status;

    if (!cw_selection_given(s))
        return CW_OK;
    status = read_query(&q, s, err);
    if (!status) {
        keep = calloc(t->commands.count + 1, 1);
        status = keep ? select_by(t, s, &q, keep, err)
                      : cw_error_set(err, CW_ERR_NOMEM, "selection: out of memory");
        free(keep);
    }
    finish_query(&q);
    return status;
}
