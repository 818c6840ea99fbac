/* findings.c - the findings about a traced run; see figures.h. Every limit below is where a person would
 * begin to look. */
#include "code_places.h"
#include "error_names.h"
#include "figures.h"
#include "../io/quantity.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct list {
    struct cw_finding *v;
    size_t count;
    struct cw_code_places *places; /* NULL: no memory */
};

__attribute__((format(printf, 4, 5))) static void add(struct list *l, enum cw_finding_kind kind,
                                                      const char *title, const char *text, ...)
{
    struct cw_finding *f = &l->v[l->count];
    va_list args;

    if (l->count == CW_FINDINGS_MAX)
        return;
    l->count++;
    f->kind = kind;
    snprintf(f->title, sizeof f->title, "%s", title);
    va_start(args, text);
    vsnprintf(f->text, sizeof f->text, text, args);
    va_end(args);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

#define N(x) (unsigned long long)(x)

/* " (argument 2 of kernel k, at main.c:57)", " (program 1)", "" of the first such call, in `text`. */
static const char *place_of(const struct list *l, const struct cw_trace *t, const struct cw_host_failure *v,
                            char text[240])
{
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

static void find_failed_calls(struct list *l, const struct cw_trace *t, const struct cw_figures *f)
{
    const struct cw_host_calls *h = &f->calls;
    char list[700] = "", place[240], name[32];
    size_t used = 0, shown = 0;

    for (; shown < h->failure_count && used < 460; shown++) {
        const struct cw_host_failure *v = &h->failures[shown];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s %llu x %s%s", shown ? ", " : "",
                                 v->name, N(v->calls), cw_error_names_of(v->status, name),
                                 place_of(l, t, v, place));
        used = used < sizeof list ? used : sizeof list - 1;
    }
    if (!h->failure_count)
        return;
    add(l, h->failures[0].question ? CW_FINDING_NOTE : CW_FINDING_TROUBLE,
        h->failures[0].question ? "Questions that were refused" : "Calls failed", "%s%s.%s", list,
        shown < h->failure_count ? ", and others" : "",
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

static void find_failed_builds(struct list *l, const struct cw_trace *t)
{
    char line[240];

    for (uint32_t i = 0; i < t->programs.count; i++)
        if (t->programs.v[i].build_log) {
            add(l, CW_FINDING_TROUBLE, "A program was not built", "Program %u: %s", i,
                in_one_line(t->programs.v[i].build_log, line));
            return;
        }
}

/* Of a command that is named, or of none. */
static uint32_t number_of(const struct cw_trace *t, uint32_t command)
{
    return command < t->commands.count ? cw_trace_command_number(t, command) : command;
}

static const char *use_of(const struct list *l, const struct cw_trace *t, const struct cw_t_stale *x,
                          char text[240])
{
    const struct cw_command *k = x->command < t->commands.count ? &t->commands.v[x->command] : NULL;
    const char *name = k ? cw_trace_command_function_name(k->type) : x->call;
    char code[CW_CODE_PLACES_TEXT];

    cw_code_places_name(l->places, k ? k->callsite : (struct cw_slice){0, 0}, code);
    if (k && k->kernel < t->kernels.count && t->kernels.v[k->kernel].name)
        snprintf(text, 240, "#%u %.40s of %.60s%s%s", number_of(t, x->command), name ? name : "?",
                 t->kernels.v[k->kernel].name, code[0] ? " at " : "", code);
    else if (k)
        snprintf(text, 240, "#%u %.60s%s%s", number_of(t, x->command), name ? name : "?",
                 code[0] ? " at " : "", code);
    else
        snprintf(text, 240, "%.60s", name ? name : "a call that did not return");
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

static void find_stale(struct list *l, const struct cw_trace *t)
{
    char list[700] = "", object[100], use[240];
    size_t used = 0, shown = 0;

    for (; shown < t->stale.count && used < 400; shown++) {
        const struct cw_t_stale *x = &t->stale.v[shown];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s by %s", shown ? ", " : "",
                                 object_of(t, x, object), use_of(l, t, x, use));
        used = used < sizeof list ? used : sizeof list - 1;
    }
    if (shown)
        add(l, CW_FINDING_TROUBLE, "Objects are used after their release", "%s%s.", list,
            shown < t->stale.count ? ", and others" : "");
}

static void find_unflushed(struct list *l, const struct cw_trace *t, const struct cw_habits *h)
{
    char first[240];

    if (h->unflushed.count)
        add(l, CW_FINDING_TROUBLE, "Waits for a queue that was not flushed",
            "%llu command%s wait%s for events of another queue without a clFlush of it between; the first is "
            "%s. OpenCL does not promise that such a wait ends: flush the queue of the event first.",
            N(h->unflushed.count), h->unflushed.count == 1 ? "" : "s", h->unflushed.count == 1 ? "s" : "",
            use_of(l, t, &(struct cw_t_stale){.command = h->unflushed.first}, first));
}

static void find_troubles(struct list *l, const struct cw_trace *t, const struct cw_figures *f)
{
    if (t->process.stopped_why)
        add(l, CW_FINDING_TROUBLE, "Recording stopped early", "%s. What came later is missing here.",
            t->process.stopped_why);
    else if (!t->process.complete)
        add(l, CW_FINDING_TROUBLE, "The program ended abruptly",
            "The trace reaches to its last completed call.");
    find_failed_calls(l, t, f);
    find_failed_builds(l, t);
    find_stale(l, t);
    find_unflushed(l, t, &f->habits);
    if (f->failed)
        add(l, CW_FINDING_TROUBLE, "Commands failed",
            "%llu commands ended with an error. They count as no work here; look at their status in the "
            "table of commands.",
            N(f->failed));
}

/* `words`, where run mode may have something to do; "" for a trace of run mode itself, or when it would
 * manage nothing. */
static const char *of_run(const struct cw_figures *f, const char *words)
{
    return f->of_run || !f->manageable ? "" : words;
}

/* `words`, where run mode has streams and staged transfers. */
static const char *of_streams(const struct cw_figures *f, const char *words)
{
    return f->of_run || !f->streamable ? "" : words;
}

/* Without device times: dependences only, no speeds. */
static void find_order(struct list *l, const struct cw_graph_summary *s, const struct cw_critical_path *p)
{
    if (p->work >= 1.2 * (double)p->length)
        add(l, CW_FINDING_NOTE, "Some commands do not depend on each other",
            "The longest chain of commands that must wait for each other has %llu of %llu commands; by their "
            "order alone up "
            "to %llu could run at once. What that would gain depends on how long they take, which is not "
            "known: trace with "
            "--device-times.",
            N(p->length), N(s->works), N(p->width));
    else
        add(l, CW_FINDING_NOTE, "The commands form one chain",
            "Nearly every command needs what the one before it made (the longest chain has %llu of %llu "
            "commands): whole "
            "commands cannot run side by side. What remains is to split kernels, or to make them faster.",
            N(p->length), N(s->works));
}

static void find_parallelism(struct list *l, const struct cw_graph_summary *s, const struct cw_figures *f,
                             const struct cw_critical_path *p)
{
    double gain = p->length ? (double)p->work / (double)p->length : 1;

    if (s->works < 2 || s->without_times) {
        if (s->works >= 2 && !s->device_ns)
            find_order(l, s, p);
    } else if (gain >= 1.2)
        add(l, CW_FINDING_HINT, "Commands could run side by side",
            "The longest chain of commands that must wait for each other is %.0f %% of all work: with enough "
            "devices the "
            "device work could be done up to %.2f times as fast, up to %llu commands at once. %s`clweave "
            "replay --platform` says "
            "what other hardware would gain.",
            percent(p->length, p->work), gain, N(p->width),
            of_run(f, "`clweave run --summary` says how many of them it manages here. "));
    else
        add(l, CW_FINDING_NOTE, "The commands form one chain",
            "Nearly every command needs what the one before it made (the longest chain is %.0f %% of all "
            "work): whole "
            "commands cannot run side by side. What remains is to split kernels, or to make them faster.",
            percent(p->length, p->work));
}

static void find_host_waits(struct list *l, const struct cw_figures *f)
{
    uint64_t compiled = f->first.blocked_ns, rest = f->blocked_ns > compiled ? f->blocked_ns - compiled : 0;
    bool advise = f->blocking_calls > 4 && percent(rest, f->span_ns) > 20;
    char a[16], b[16], presumed[300] = "";

    if (percent(compiled, f->blocked_ns) > 5)
        snprintf(presumed, sizeof presumed,
                 " Of this presumably %s were for the vendor's compiler: first launches of kernels (%llu) "
                 "began late, by at least %d "
                 "times the mean of later ones. Kept builds save that time, waiting later does not.",
                 cw_quantity_ns(compiled, b), N(f->first.count), CW_FIRST_LATE_TIMES);
    if (advise || percent(compiled, f->span_ns) > 20)
        add(l, CW_FINDING_HINT, advise ? "The host waits" : "The host waits, presumably for a compiler",
            "%llu wait%s for commands (in clFinish, clWaitForEvents, blocking transfers) held the program's "
            "threads for %s, "
            "%.0f %% of the run.%s%s",
            N(f->blocking_calls), f->blocking_calls == 1 ? "" : "s", cw_quantity_ns(f->blocked_ns, a),
            percent(f->blocked_ns, f->span_ns), presumed,
            !advise     ? ""
            : *presumed ? " For the rest: where a result is not needed yet, wait later."
                        : " Where the result is not needed yet, wait later.");
}

/* "k, scale and others" in `text`: the kernels of a program. */
static const char *kernels_of(const struct cw_trace *t, uint32_t program, char text[160])
{
    const char *shown[3];
    size_t count = 0, used = 0;
    bool others = false;

    text[0] = '\0';
    for (size_t i = 0; i < t->kernels.count && program != CW_NONE && !others; i++) {
        const char *name = t->kernels.v[i].program == program ? t->kernels.v[i].name : NULL;
        size_t k = 0;
        while (name && k < count && strcmp(shown[k], name))
            k++;
        if (!name || k < count)
            continue;
        others = count == sizeof shown / sizeof *shown;
        if (others)
            continue;
        shown[count++] = name;
        used += (size_t)snprintf(text + used, 160 - used, "%s%.40s", used ? ", " : "", name);
    }
    if (others)
        snprintf(text + used, 160 - used, " and others");
    return text;
}

static void find_builds(struct list *l, const struct cw_trace *t, const struct cw_figures *f)
{
    const struct cw_host_calls *h = &f->calls;
    const struct cw_phases *p = &f->phases;
    double build = percent(p->ns[CW_PHASE_BUILD], p->total_ns),
           first = percent(p->ns[CW_PHASE_FIRST], p->total_ns);
    char title[100], a[16], b[16], kernels[160], where[260] = "";

    if (h->longest_build < t->programs.count && kernels_of(t, h->longest_build, kernels)[0])
        snprintf(where, sizeof where, ", the program of %s", kernels);
    snprintf(title, sizeof title, "Building programs takes %.0f %% of the run", build);
    if (build > 10)
        add(l, CW_FINDING_HINT, title,
            "%llu build%s took %s (longest: %s%s). Build once and keep the binary "
            "(clCreateProgramWithBinary), build in another thread, or leave out what is not used.%s",
            N(h->builds), h->builds == 1 ? "" : "s", cw_quantity_ns(h->build_ns, a),
            cw_quantity_ns(h->longest_build_ns, b), where,
            of_run(f, " `clweave run` answers builds of later runs from a cache."));
    snprintf(title, sizeof title, "First launches take %.0f %% of the run", first);
    if (first > 10 && percent(f->first.blocked_ns, f->span_ns) <= 20) /* else find_host_waits says it */
        add(l, CW_FINDING_HINT, title,
            "Presumably the vendor compiles kernels when they are launched first: %llu began late, by %s in "
            "all, and %llu took long to enqueue, %s in all. This is no waiting for results; kept builds save "
            "it.",
            N(f->first.count), cw_quantity_ns(f->first.late_ns, a), N(f->first.calls),
            cw_quantity_ns(f->first.call_ns, b));
}

/* "2 of 3 buffers (4 KiB), 1 of 1 context" in `text`. */
void cw_findings_leaks(const struct cw_leaks *k, char text[300])
{
    size_t used = 0;
    char a[16];

    text[0] = '\0';
    for (unsigned i = 0; i < CW_LEAK_KINDS && used < 230; i++) {
        const struct cw_leak *v = &k->kind[i];
        if (!v->kept)
            continue;
        used += (size_t)snprintf(text + used, 300 - used, "%s%llu of %llu %s%s", used ? ", " : "", N(v->kept),
                                 N(v->made), cw_leaks_name(i), v->made == 1 ? "" : "s");
        if (v->bytes)
            used += (size_t)snprintf(text + used, 300 - used, " (%s)", cw_quantity_bytes(v->bytes, a));
    }
}

static void find_leaks(struct list *l, const struct cw_trace *t, const struct cw_figures *f)
{
    const struct cw_leaks *k = &f->leaks;
    const struct cw_leak *events = &k->kind[CW_LEAK_EVENTS];
    const uint64_t asked = events->made + t->process.user_events;
    char kinds[300], code[CW_CODE_PLACES_TEXT], where[300] = "";
    size_t used = 0;

    cw_findings_leaks(k, kinds);
    for (unsigned i = 0; i < CW_LEAK_KINDS && used < 180; i++)
        if (cw_code_places_name(l->places, k->kind[i].callsite, code)[0])
            used += (size_t)snprintf(where + used, sizeof where - used, "%s%s %.60s",
                                     used ? ", " : " The first ones were made at: ", cw_leaks_name(i), code);
    if (k->kept)
        add(l, k->kept > 8 ? CW_FINDING_HINT : CW_FINDING_NOTE, "Objects are never released",
            "When the program ended it had kept %s.%s%s", kinds, where, used ? "." : "");
    if (t->process.unused_events > 8)
        add(l, CW_FINDING_NOTE, "Events that nothing waits for",
            "The program asked for %llu events and neither waited for %llu of them nor asked about them. An "
            "enqueue without an event (NULL) is cheaper.",
            N(asked), N(t->process.unused_events));
}

static void find_injected(struct list *l, const struct cw_trace *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->programs.count; i++)
        n += t->programs.v[i].injected_for != 0;
    if (n)
        add(l, CW_FINDING_NOTE, "Injected programs",
            "%zu of %zu programs ran with a text of --inject in place of their own.", n, t->programs.count);
}

static void find_habits(struct list *l, const struct cw_trace *t, const struct cw_figures *f)
{
    const struct cw_habits *h = &f->habits;
    char first[240], a[16];

    if (h->single_items.count)
        add(l, CW_FINDING_HINT, "Work-groups of one item",
            "%llu launch%s with a local size of 1; the first is %s. Each work-group costs as much as a "
            "larger "
            "one: pass NULL, or a multiple of the device's preferred size.",
            N(h->single_items.count), h->single_items.count == 1 ? " is" : "es are",
            use_of(l, t, &(struct cw_t_stale){.command = h->single_items.first}, first));
    if (h->needless_finish.count)
        add(l, h->needless_finish.count > 4 ? CW_FINDING_HINT : CW_FINDING_NOTE,
            "clFinish that is not needed",
            "%llu call%s of clFinish wait%s for nothing, or right before a blocking command of the same "
            "in-order "
            "queue, which waits for the same; the first is #%u.",
            N(h->needless_finish.count), h->needless_finish.count == 1 ? "" : "s",
            h->needless_finish.count == 1 ? "s" : "", number_of(t, h->needless_finish.first));
    if (h->finish_between.count > 4)
        add(l, CW_FINDING_HINT, "clFinish between launches",
            "%llu calls of clFinish stand between two launches of one in-order queue, which its order keeps "
            "apart; "
            "the "
            "first is #%u. Unless the host looks at results then, one at the end is enough.",
            N(h->finish_between.count), number_of(t, h->finish_between.first));
    if (h->pageable.count)
        add(l, CW_FINDING_HINT, "Transfers of pageable memory",
            "%llu transfer%s (%s) of a device with a memory of its own read or write plain host memory; the "
            "first is #%u. From and to mapped buffers (CL_MEM_ALLOC_HOST_PTR) they are faster.",
            N(h->pageable.count), h->pageable.count == 1 ? "" : "s", cw_quantity_bytes(h->pageable_bytes, a),
            number_of(t, h->pageable.first));
}

static void find_waits(struct list *l, const struct cw_graph_summary *s, const struct cw_figures *f)
{
    if (f->waits_only > s->works / 10 && f->waits_only > 4)
        add(l, CW_FINDING_HINT, "Commands only stood in line",
            "%llu of %llu commands depend on nothing before them and waited only because their in-order "
            "queue had them "
            "behind others. Out-of-order or several queues would free them.%s%s",
            N(f->waits_only), N(s->works),
            of_run(f, " `clweave run` can, without a change; --summary says how many it reordered."),
            of_streams(f, " `clweave run` tries that on this GPU without a change."));
    find_host_waits(l, f);
}

/* Contexts of several devices. Run mode's own traces have helpers in them, which no context of the program
 * has. */
static void find_shared_contexts(struct list *l, const struct cw_trace *t, const struct cw_figures *f)
{
    const struct cw_shared_contexts *s = &f->shared;
    char a[16], b[16], lost[16];

    if (s->apart != CW_NONE && !f->of_run)
        add(l, CW_FINDING_HINT, "Devices of one context never work at once",
            "%u devices of context %u worked for %s, one after the other, though not all of it depends on "
            "the rest: "
            "side by side it would take %s%s less. %s",
            s->devices, s->apart, cw_quantity_ns(s->busy_ns, a), s->by_host ? "up to " : "at least ",
            cw_quantity_ns(s->lost_ns, lost),
            s->by_host
                ? "The host hands work to one device when the other one has done its own: enqueue for all "
                  "devices first, then wait."
            : s->moves
                ? "The commands were there in time: presumably the vendor moved buffers meanwhile (see "
                  "below)."
                : "The commands were there in time: the vendor takes turns. A context for each device may "
                  "end that.");
    if (s->moves > 1 && !f->of_run)
        add(l, CW_FINDING_HINT, "The driver moves buffers between devices",
            "%llu buffer%s used by devices of one context in turn, %llu times in all: each time the driver "
            "moves "
            "the whole buffer, %s together (memory object %u, %s, most often), NVIDIA's at 1.4 GB/s between "
            "two "
            "H200. Give each device buffers or sub-buffers of its own, and copy by way of the host what "
            "another "
            "one needs.",
            N(s->moved_objects), s->moved_objects == 1 ? " is" : "s are", N(s->moves),
            cw_quantity_bytes(s->moved_bytes, a), s->most_moved,
            cw_quantity_bytes(t->memory.v[s->most_moved].size, b));
}

static void find_idle_devices(struct list *l, const struct cw_trace *t, const struct cw_figures *f)
{
    char title[100], a[16], b[16];

    for (size_t d = 0; d < f->device_count; d++) {
        const struct cw_device_figures *v = &f->devices[d];
        if (v->commands < 2 || percent(v->busy_ns, v->span_ns) > 80)
            continue;
        snprintf(title, sizeof title, "Device %zu is idle %s%.0f %% of its time", d,
                 v->without_times ? "at most " : "", 100 - percent(v->busy_ns, v->span_ns));
        add(l, CW_FINDING_HINT, title,
            "%.200s ran for %s%s within %s. The gaps are the host's (enqueue further ahead, wait less "
            "often), the vendor's "
            "compiler's at first launches, or what handing over each command costs.",
            t->devices.v[d].name ? t->devices.v[d].name : "It", v->without_times ? "at least " : "",
            cw_quantity_ns(v->busy_ns, a), cw_quantity_ns(v->span_ns, b));
    }
}

static void find_costs(struct list *l, const struct cw_graph_summary *s, const struct cw_figures *f)
{
    char a[16], b[16];

    if (f->kernels > 20 && percent(f->short_kernels, f->kernels) > 50)
        add(l, CW_FINDING_HINT, "Many short kernels",
            "%llu of %llu launches take less than %d us: handing them to the device may cost as much as "
            "running them. "
            "Fusing kernels helps.%s",
            N(f->short_kernels), N(f->kernels), CW_SHORT_KERNEL_NS / 1000,
            of_run(f, " `clweave run` hands chains over at once where it manages them (--summary)."));
    if (s->device_ns && percent(f->host_ns, s->device_ns) > 25)
        add(l, CW_FINDING_HINT, "Transfers weigh",
            "%llu transfers between host and devices moved %s%s in %s, %.0f %% of all device time%s. Mapped "
            "or USE_HOST_PTR buffers "
            "avoid copies on devices that share the host's memory.%s",
            N(f->host_transfers), f->host_bytes_at_most ? "at most " : "",
            cw_quantity_bytes(f->host_bytes, a), cw_quantity_ns(f->host_ns, b),
            percent(f->host_ns, s->device_ns), s->without_times ? " that is known" : "",
            of_streams(f, " `clweave run` sends large ones of pageable memory to this GPU "
                          "more quickly."));
    if (f->unused_objects)
        add(l, CW_FINDING_NOTE, "Memory that nothing touches",
            "%llu memory objects (%s) are created and then used by no command.", N(f->unused_objects),
            cw_quantity_bytes(f->unused_bytes, a));
}

static void find_doubts(struct list *l, const struct cw_graph_summary *s, const struct cw_figures *f)
{
    char streams[64] = "", staged[80] = "";

    if (f->streamed)
        snprintf(streams, sizeof streams, ", gave %llu to streams", N(f->streamed));
    if (f->staged)
        snprintf(staged, sizeof staged, ", sent %llu transfer%s through pinned memory", N(f->staged),
                 f->staged == 1 ? "" : "s");
    if (f->of_run)
        add(l, CW_FINDING_NOTE, "A run of clweave's own",
            "`clweave run` recorded this: it decided where and when %llu of %llu commands ran%s%s; the "
            "others "
            "were left to the "
            "vendor. A trace of the program alone is made by `clweave trace`.",
            N(f->managed), N(s->enqueues), streams, staged);
    if (s->unproven)
        add(l, CW_FINDING_NOTE, "Edges that rest on doubt",
            "%llu of %llu binding edges would not be there if every const and CL_MEM_ flag were true. Flags "
            "are cheap: create "
            "buffers that kernels only read with CL_MEM_READ_ONLY.",
            N(s->unproven), N(s->binding));
    if (s->works && s->device_ns == 0)
        add(l, CW_FINDING_NOTE, "No device times",
            "Chains are measured in commands. Trace with --device-times to have them in time.");
    else if (s->without_times)
        add(l, CW_FINDING_NOTE, "Not all commands have device times",
            "%llu of %llu commands have none. Device times and the critical path are at least what is said "
            "here, and what more "
            "devices could gain is not known. Trace with --device-times to have all of them.",
            N(s->without_times), N(s->works));
}

size_t cw_findings(struct cw_finding out[CW_FINDINGS_MAX], const struct cw_trace *t,
                   const struct cw_graph_summary *s, const struct cw_figures *f,
                   const struct cw_critical_path *path)
{
    struct list l = {out, 0, cw_code_places_create(t)};

    find_troubles(&l, t, f);
    find_builds(&l, t, f);
    find_parallelism(&l, s, f, path);
    find_waits(&l, s, f);
    find_injected(&l, t);
    find_habits(&l, t, f);
    find_shared_contexts(&l, t, f);
    find_idle_devices(&l, t, f);
    find_costs(&l, s, f);
    find_leaks(&l, t, f);
    find_doubts(&l, s, f);
    cw_code_places_destroy(l.places);
    return l.count;
}
