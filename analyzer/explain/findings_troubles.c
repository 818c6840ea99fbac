/* findings_troubles.c - faults of the program that a trace shows; see findings_list.h. */
#include "host_calls.h"
#include "findings_list.h"
#include "../io/quantity.h"

#include <stdio.h>
#include <string.h>

/* Ways to use OpenCL that cost time, and objects that are kept; see findings_list.h. */

#define N(x) (unsigned long long)(x)

/* "2 of 3 buffers (4 KiB), 1 of 1 context" in `text`. */
void cw_findings_leaks(const struct cw_leaks *k, char text[300])
{
    size_t used = 0;
    char a[16];

    text[0] = '\0';
    for (unsigned i = 0; i < CW_LEAK_KINDS && used < 230; i++) {
        const struct cw_leak *v = &k->kind[i];
        if (!v->unreleased)
            continue;
        used += (size_t)snprintf(text + used, 300 - used, "%s%llu of %s", used ? ", " : "", N(v->unreleased),
                                 CW_COUNT(v->made, cw_leaks_name(i)));
        if (v->bytes)
            used += (size_t)snprintf(text + used, 300 - used, " (%s)", cw_quantity_bytes(v->bytes, a));
    }
}

void cw_findings_leak_place(const struct cw_leak *v, char text[200])
{
    char a[16];
    size_t used = (size_t)snprintf(text, 200, "%.60s", v->place);

    if (v->place[0] && v->places > 1) {
        used += (size_t)snprintf(text + used, 200 - used, " (%llu of %llu", N(v->place_unreleased),
                                 N(v->unreleased));
        if (v->place_bytes)
            used += (size_t)snprintf(text + used, 200 - used, ", %s", cw_quantity_bytes(v->place_bytes, a));
        snprintf(text + used, 200 - used, "; of %s)", CW_COUNT(v->places, "place"));
    }
}

void cw_findings_habits_unreleased(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_leaks *k = &f->leaks;
    const struct cw_leak *events = &k->kind[CW_LEAK_EVENTS];
    const uint64_t asked = events->made + l->t->process.user_events;
    char kinds[300], place[200], where[400] = "";
    size_t used = 0;

    cw_findings_leaks(k, kinds);
    for (unsigned i = 0; i < CW_LEAK_KINDS && used < 240; i++) {
        cw_findings_leak_place(&k->kind[i], place);
        if (place[0])
            used += (size_t)snprintf(where + used, sizeof where - used, "%s%s %s",
                                     used ? ", " : " The places that leak most: ", cw_leaks_name(i), place);
    }
    if (k->unreleased)
        cw_findings_list_add(l, k->unreleased > 8 ? CW_FINDING_HINT : CW_FINDING_NOTE,
                             "Objects are never released", "When the program ended it had kept %s.%s%s",
                             kinds, where, used ? "." : "");
    if (l->t->process.unused_events > 8)
        cw_findings_list_add(l, CW_FINDING_NOTE, "Events that nothing waits for",
                             "The program asked for %llu events and neither waited for %llu of them nor "
                             "asked about them. An enqueue without an event (NULL) is cheaper.",
                             N(asked), N(l->t->process.unused_events));
}

static void find_finishes(struct cw_findings_list *l, const struct cw_habits *h)
{
    char first[CW_FINDINGS_LIST_TEXT];

    if (h->needless_finish.count)
        cw_findings_list_add(l, h->needless_finish.count > 4 ? CW_FINDING_HINT : CW_FINDING_NOTE,
                             "clFinish that is not needed",
                             "%s of clFinish wait%s for nothing, or right before a blocking command of the "
                             "same in-order queue, which waits for the same; the first is %s.",
                             CW_COUNT(h->needless_finish.count, "call"),
                             cw_quantity_verb(h->needless_finish.count),
                             cw_findings_list_command(l, h->needless_finish.first, first));
    if (h->finish_between.count > 4)
        cw_findings_list_add(l, CW_FINDING_HINT, "clFinish between launches",
                             "%llu calls of clFinish stand between two launches of one in-order queue, "
                             "which its order keeps apart; the first is %s. Unless the host looks at results "
                             "then, one at the end is enough.",
                             N(h->finish_between.count),
                             cw_findings_list_command(l, h->finish_between.first, first));
}

void cw_findings_habits(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_habits *h = &f->habits;
    char first[CW_FINDINGS_LIST_TEXT], a[16];

    if (h->single_items.count)
        cw_findings_list_add(l, CW_FINDING_HINT, "Work-groups of one item",
                             "%s %s with a local size of 1; the first is %s. Each work-group costs as much "
                             "as a larger one: pass NULL, or a multiple of the device's preferred size.",
                             CW_COUNT(h->single_items.count, "launch"),
                             h->single_items.count == 1 ? "is" : "are",
                             cw_findings_list_command(l, h->single_items.first, first));
    find_finishes(l, h);
    if (h->pageable.count)
        cw_findings_list_add(l, CW_FINDING_HINT, "Transfers of pageable memory",
                             "%s (%s) of a device with a memory of its own read%s or write%s plain host "
                             "memory; the first is %s. From and to mapped buffers (CL_MEM_ALLOC_HOST_PTR) "
                             "transfers are faster.",
                             CW_COUNT(h->pageable.count, "transfer"), cw_quantity_bytes(h->pageable_bytes, a),
                             cw_quantity_verb(h->pageable.count), cw_quantity_verb(h->pageable.count),
                             cw_findings_list_command(l, h->pageable.first, first));
}

#define N(x) (unsigned long long)(x)

/* " (argument 2 of kernel k, at main.c:57)", " (program 1)", "" of the first such call, in `text`. */
static const char *place_of(const struct cw_findings_list *l, const struct cw_host_failure *v, char text[240])
{
    const struct cw_trace *t = l->t;
    const char *name = v->kernel < t->kernels.count ? t->kernels.v[v->kernel].name : NULL;
    char object[100] = "", code[CW_CODE_PLACES_TEXT];

    if (name && v->argument >= 0)
        snprintf(object, sizeof object, "argument %d of kernel %.60s", (int)v->argument, name);
    else if (name)
        snprintf(object, sizeof object, "kernel %.60s", name);
    else if (v->program < t->programs.count)
        snprintf(object, sizeof object, "program %u", v->program);
    cw_code_places_name(l->places, v->callsite, code);
    text[0] = '\0';
    if (object[0] || code[0])
        snprintf(text, 240, " (%s%s%s)", object, object[0] && code[0] ? ", at " : code[0] ? "at " : "", code);
    return text;
}

static void find_failed_calls(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_host_calls *h = &f->calls;
    char list[700] = "", place[240], name[32];
    size_t used = 0, shown = 0;

    for (; shown < h->failure_count && used < 460; shown++) {
        const struct cw_host_failure *v = &h->failures[shown];
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%.60s %llu x %s%s", shown ? ", " : "",
                             v->name, N(v->calls), cw_error_names_of(v->status, name), place_of(l, v, place));
        used = used < sizeof list ? used : sizeof list - 1;
    }
    if (!h->failure_count)
        return;
    cw_findings_list_add(l, h->failures[0].question ? CW_FINDING_NOTE : CW_FINDING_TROUBLE,
                         h->failures[0].question ? "Questions that were refused" : "Calls failed", "%s%s.%s",
                         list, shown < h->failure_count ? ", and others" : "",
                         f->refused ? " Commands that were refused touch and order nothing here." : "");
}

/* The first lines of `text` as one, in `line`. */
static const char *in_one_line(const char *text, char line[240])
{
    size_t n = 0;

    for (; *text && n < 236; text++)
        if (*text == '\n' || *text == '\r' || *text == '\t')
            n += n && line[n - 1] != ' ' ? (line[n] = ' ', 1u) : 0u;
        else
            line[n++] = *text;
    while (*text && n && (line[n - 1] & 0xc0) == 0x80) /* no half character */
        n--;
    line[n] = '\0';
    return line;
}

static void find_failed_builds(struct cw_findings_list *l)
{
    char line[240];

    for (uint32_t i = 0; i < l->t->programs.count; i++)
        if (l->t->programs.v[i].build_log) {
            cw_findings_list_add(l, CW_FINDING_TROUBLE, "A program was not built", "Program %u: %s", i,
                                 in_one_line(l->t->programs.v[i].build_log, line));
            return;
        }
}

/* ---- released objects */

static const char *use_of(const struct cw_findings_list *l, const struct cw_t_stale *x,
                          char text[CW_FINDINGS_LIST_TEXT])
{
    char place[CW_FINDINGS_LIST_TEXT];

    if (x->command < l->t->commands.count)
        return cw_findings_list_command(l, x->command, text);
    snprintf(text, CW_FINDINGS_LIST_TEXT, "%.60s%.150s", x->call ? x->call : "a call that did not return",
             cw_findings_list_place(l, " at ", x->callsite, place));
    return text;
}

static const char *object_of(const struct cw_trace *t, const struct cw_t_stale *x, char text[100])
{
    const struct {
        uint32_t id;
        const char *name;
    } kinds[] = {{x->context, "context"}, {x->queue, "queue"},     {x->memory, "memory object"},
                 {x->sampler, "sampler"}, {x->program, "program"}, {x->event, "event of #"}};

    snprintf(text, 100, "%s", "an object");
    if (x->kernel < t->kernels.count)
        snprintf(text, 100, "kernel %.60s",
                 t->kernels.v[x->kernel].name ? t->kernels.v[x->kernel].name : "?");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].id != CW_NONE)
            snprintf(text, 100, "%s%s%u", kinds[i].name,
                     kinds[i].name[strlen(kinds[i].name) - 1] == '#' ? "" : " ", kinds[i].id);
    return text;
}

static void find_stale(struct cw_findings_list *l)
{
    const struct cw_trace *t = l->t;
    char list[700] = "", object[100], use[CW_FINDINGS_LIST_TEXT], release[CW_FINDINGS_LIST_TEXT];
    size_t used = 0, shown = 0;

    for (; shown < t->stale.count && used < 400; shown++) {
        const struct cw_t_stale *x = &t->stale.v[shown];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s by %s%s%s", shown ? "; " : "",
                                 object_of(t, x, object), use_of(l, x, use),
                                 x->released.count ? ", released" : "",
                                 cw_findings_list_place(l, " at ", x->released, release));
        used = used < sizeof list ? used : sizeof list - 1;
    }
    if (shown)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "Objects are used after their release", "%s%s.", list,
                             shown < t->stale.count ? "; and others" : "");
}

static void find_outside(struct cw_findings_list *l, const struct cw_outside *o)
{
    char first[CW_FINDINGS_LIST_TEXT], others[60] = "";

    if (o->launches > 1)
        snprintf(others, sizeof others, " %s do%s so, too.", CW_COUNT(o->launches - 1, "other launch"),
                 o->launches == 2 ? "es" : "");
    if (o->launches)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "A kernel touches bytes outside of a buffer",
                             "%s %s argument %u outside of its buffer of %llu bytes: byte %lld is the first "
                             "such one, byte %lld the last one.%s What lies there is not known, and the "
                             "graph has no edge for it.",
                             cw_findings_list_command(l, o->command, first),
                             o->touched.write ? "writes" : "reads", o->touched.arg, N(o->size),
                             (long long)o->touched.first, (long long)o->touched.end - 1, others);
}

/* ---- orders that nothing promises */

static void find_unflushed(struct cw_findings_list *l, const struct cw_habits *h)
{
    char first[CW_FINDINGS_LIST_TEXT];

    if (h->unflushed.count)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "Waits for a queue that was not flushed",
                             "%s wait%s for events of another queue without a clFlush of it between; the "
                             "first is %s. OpenCL does not promise that such a wait ends: flush the queue of "
                             "the event first.",
                             CW_COUNT(h->unflushed.count, "command"), cw_quantity_verb(h->unflushed.count),
                             cw_findings_list_command(l, h->unflushed.first, first));
    if (h->polled.count)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "Events are polled before their queue is flushed",
                             "The program asked for the status of events, or had them call it, until they "
                             "were complete, %s without a clFlush of their queue before; the first end that "
                             "it saw is %s. OpenCL does not promise that a command begins before its queue "
                             "is flushed: call clFlush first.",
                             CW_COUNT(h->polled.count, "time"),
                             cw_findings_list_command(l, h->polled.first, first));
}

/* The source of its kernel names atomic functions: these keep order among themselves. */
static bool has_atomics(const struct cw_trace *t, uint32_t command)
{
    uint32_t kernel = t->commands.v[command].kernel,
             program = kernel < t->kernels.count ? t->kernels.v[kernel].program : CW_NONE;
    const char *source = program < t->programs.count ? t->programs.v[program].source : NULL;

    return source && (strstr(source, "atomic_") || strstr(source, "atom_"));
}

static void find_races(struct cw_findings_list *l, const struct cw_races *r)
{
    const struct cw_trace *t = l->t;
    const struct cw_edge *e = r->count ? &t->edges.v[r->first] : NULL;
    char one[CW_FINDINGS_LIST_TEXT], other[CW_FINDINGS_LIST_TEXT], title[100];
    bool atomics = e && has_atomics(t, e->from) && has_atomics(t, e->to);

    if (!e)
        return;
    snprintf(title, sizeof title, "Commands of %s %stouch the same bytes with no order",
             t->commands.v[e->from].queue != t->commands.v[e->to].queue ? "two queues"
                                                                        : "an out-of-order queue",
             r->certain ? "" : "may ");
    cw_findings_list_add(l, atomics ? CW_FINDING_NOTE : CW_FINDING_TROUBLE, title,
                         "%s: the first is %s and %s, on memory object %u. No event, barrier or wait of the "
                         "host keeps them apart: either may run first, or both at once. Give the later one "
                         "the earlier one's event.%s",
                         CW_COUNT(r->count, "pair"), cw_findings_list_command(l, e->from, one),
                         cw_findings_list_command(l, e->to, other), e->memory,
                         r->certain ? ""
                         : atomics  ? " (Their source has atomic functions; where these alone meet, no order "
                                      "is needed.)"
                                    : " (Without footprints a kernel counts as a writer of all pointers that "
                                      "are not const.)");
}

static void find_unawaited(struct cw_findings_list *l, const struct cw_habits *h)
{
    char first[CW_FINDINGS_LIST_TEXT];

    if (h->unawaited.count)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "The program ended without waiting for its commands",
                             "Nothing awaited %s; the first is %s. OpenCL need not finish what is under way "
                             "when a program ends, and no end of these was seen: call clFinish before.",
                             CW_COUNT(h->unawaited.count, "command"),
                             cw_findings_list_command(l, h->unawaited.first, first));
}

void cw_findings_troubles(struct cw_findings_list *l, const struct cw_figures *f)
{
    if (l->t->process.stopped_why)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "Recording stopped early",
                             "%s. What came later is missing here.", l->t->process.stopped_why);
    else if (!l->t->process.complete)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "The program ended abruptly",
                             "The trace reaches to its last completed call.");
    find_failed_calls(l, f);
    find_failed_builds(l);
    find_stale(l);
    find_outside(l, &f->outside);
    find_races(l, &f->races);
    find_unflushed(l, &f->habits);
    find_unawaited(l, &f->habits);
    if (f->failed)
        cw_findings_list_add(l, CW_FINDING_TROUBLE, "Commands failed",
                             "%s ended with an error. They count as no work here; look at their status in "
                             "the table of commands.",
                             CW_COUNT(f->failed, "command"));
}
