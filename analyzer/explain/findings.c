/* findings.c - the findings about a traced run; see figures.h. Every limit below is where a person would
 * begin to look. */
#include "findings_list.h"
#include "../io/quantity.h"

#include <stdio.h>
#include <string.h>
#include <stdarg.h>

#define N(x) (unsigned long long)(x)

/* `words`, where run mode may have something to do; "" for a trace of run mode itself, or when it would
 * manage nothing. */
static const char *of_run(const struct cw_figures *f, const char *words)
{
    return f->of_run || !f->manageable ? "" : words;
}

/* The recorder, or the program, had queues take times: where there are none, no end of a command was seen. */
static bool were_times_asked_for(const struct cw_trace *t)
{
    for (size_t i = 0; i < t->queues.count; i++)
        if (t->queues.v[i].profiling)
            return true;
    return false;
}

/* `words`, where run mode has streams and staged transfers. */
static const char *of_streams(const struct cw_figures *f, const char *words)
{
    return f->of_run || !f->streamable ? "" : words;
}

/* "12.3 ms" or "5" commands of a chain, in `text`. */
static const char *length_of(uint64_t length, bool timed, char text[24])
{
    char plain[16];

    if (timed)
        snprintf(text, 24, "%s", cw_quantity_ns(length, plain));
    else
        snprintf(text, 24, "%llu", N(length));
    return text;
}

/* The commands make one chain. `whole`: what it is compared with, the time in which devices were busy or the
 * number of commands. */
static void find_chain(struct cw_findings_list *l, const struct cw_critical_path *p, uint64_t whole,
                       bool timed)
{
    const char *unit = timed ? "" : " commands", *of = timed ? " that devices were busy" : " commands";
    char a[24], b[24], c[24], d[24];

    length_of(p->length, timed, a);
    length_of(whole, timed, b);
    length_of(p->without_host, timed, c);
    length_of(p->without_reuse, timed, d);
    if ((double)whole >= 1.2 * (double)p->without_host)
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Waits of the host make the commands one chain",
            "The longest chain of commands that must wait for each other is %s of %s%s, but only because the "
            "program waits (clFinish, clWaitForEvents, blocking transfers) before it enqueues more. What "
            "data, events and barriers ask for is a chain of %s%s: wait only where the host needs a result, "
            "and put commands in an order by events.",
            a, b, of, c, unit);
    else if ((double)whole >= 1.2 * (double)p->without_reuse)
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Memory that is used again makes the commands one chain",
            "The longest chain of commands that must wait for each other is %s of %s%s, but only because "
            "commands write memory that commands before them still use (WAR, WAW). Results, events and "
            "barriers ask for a chain of %s%s: with a buffer for each, or two in turn, the others could run "
            "side by side.",
            a, b, of, d, unit);
    else
        cw_findings_list_add(
            l, CW_FINDING_NOTE, "The commands form one chain",
            "Nearly every command needs what the one before it made, or waits for its event (the longest "
            "chain is %s of %s%s): whole commands cannot run side by side. What remains is to split kernels, "
            "or to make them faster.",
            a, b, of);
}

/* Without device times: dependences only, no speeds. */
static void find_order(struct cw_findings_list *l, const struct cw_graph_summary *s,
                       const struct cw_critical_path *p)
{
    if (p->work >= 1.2 * (double)p->length)
        cw_findings_list_add(
            l, CW_FINDING_NOTE, "Some commands do not depend on each other",
            "The longest chain of commands that must wait for each other has %llu of %s; by their order "
            "alone "
            "up to %llu could run at once. What that would gain depends on how long they take, which is not "
            "known%s.",
            N(p->length), CW_COUNT(s->works, "command"), N(p->width),
            were_times_asked_for(l->t) ? "" : ": trace with --device-times");
    else
        find_chain(l, p, p->work, false);
}

/* Times that contradict the graph: commands that wait for each other would have run at once. */
static bool contradict(const struct cw_graph_summary *s, const struct cw_critical_path *p)
{
    return !s->races && (double)s->busy_ns < .9 * (double)p->length;
}

static void find_parallelism(struct cw_findings_list *l, const struct cw_graph_summary *s,
                             const struct cw_figures *f, const struct cw_critical_path *p)
{
    double gain = cw_graph_summary_gain(s);
    char a[24], b[16];

    if (s->works < 2 || s->without_times) {
        if (s->works >= 2 && !s->device_ns)
            find_order(l, s, p);
    } else if (gain >= 1.2)
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Commands could run side by side",
            "The longest chain of commands that must wait for each other is %s, and devices were busy for "
            "%s: "
            "with enough devices the device work could be done up to %.2f times as fast, up to %s at once. "
            "%s`clweave replay --platform` says what other hardware would gain.",
            cw_quantity_ns(p->length, a), cw_quantity_ns(s->busy_ns, b), gain, CW_COUNT(p->width, "command"),
            of_run(f, "`clweave run --summary` says how many of them it manages here. "));
    else if (contradict(s, p))
        cw_findings_list_add(l, CW_FINDING_NOTE, "Device times contradict the order of commands",
                             "Commands that must wait for each other took %s, yet by their times devices "
                             "were busy for %s: the "
                             "device's clock does not say when commands ran, only how long, if that.",
                             length_of(p->length, true, a), cw_quantity_ns(s->busy_ns, b));
    else if ((double)s->busy_ns < .9 * (double)s->device_ns)
        cw_findings_list_add(
            l, CW_FINDING_NOTE, "Commands run side by side",
            "%s took %s, within %s: they ran beside each other, and their longest chain is %s. More devices "
            "gain only what each command runs faster alone.",
            CW_COUNT(s->works, "command"), cw_quantity_ns(s->device_ns, a), cw_quantity_ns(s->busy_ns, b),
            length_of(p->length, true, (char[24]){0}));
    else
        find_chain(l, p, s->busy_ns, true);
}

static void find_reuse(struct cw_findings_list *l, const struct cw_graph_summary *s)
{
    const struct cw_versions *v = &s->versions;

    if (cw_graph_summary_reuses(s))
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Memory that is used again makes the longest chain longer",
            "%llu of the %s of the longest chain of commands are WAR and WAW alone, %llu of them by memory "
            "%u: "
            "a command overwrites bytes that commands before it still use. With 2, 4, 8, 16 versions of each "
            "buffer, in turn, the chain would be %.1f, %.1f, %.1f, %.1f times as short, %.1f times by "
            "results "
            "(RAW) alone.",
            N(v->reuse), CW_COUNT(v->steps, "step"), N(v->memory_reuse), v->memory,
            (double)v->length[0] / (double)v->length[1], (double)v->length[0] / (double)v->length[2],
            (double)v->length[0] / (double)v->length[3], (double)v->length[0] / (double)v->length[4],
            (double)v->length[0] / (double)v->results);
}

static double findings_list_percent(uint64_t part, uint64_t whole);

/* Shares are of the run; where several threads wait at once, the time counts once. */
static void find_host_waits(struct cw_findings_list *l, const struct cw_figures *f)
{
    uint64_t compiled = f->first.waited_ns, rest = f->waited_ns > compiled ? f->waited_ns - compiled : 0;
    bool advise = f->blocking_calls > 4 && findings_list_percent(rest, f->run_ns) > 20;
    char a[16], presumed[300] = "", threads[80] = "";

    if (f->blocked_ns > f->waited_ns + f->waited_ns / 20)
        snprintf(threads, sizeof threads, " (%s of all threads together)", cw_quantity_ns(f->blocked_ns, a));
    if (findings_list_percent(compiled, f->waited_ns) > 5)
        snprintf(
            presumed, sizeof presumed,
            " Presumably the vendor's compiler holds part of it up: first launches take %s of the run, "
            "%llu of them began late, by at least %d times the mean of later ones. Kept builds save that "
            "time, waiting later does not.",
            cw_quantity_ns(f->phases.ns[CW_PHASE_FIRST], a), N(f->first.count), CW_FIRST_LATE_TIMES);
    if (advise || findings_list_percent(compiled, f->run_ns) > 20)
        cw_findings_list_add(
            l, CW_FINDING_HINT,
            compiled > rest ? "The host waits, presumably for a compiler" : "The host waits",
            "%s for commands (in clFinish, clWaitForEvents, blocking transfers) held the program for %s%s, "
            "%.0f %% of the run.%s%s",
            CW_COUNT(f->blocking_calls, "wait"), cw_quantity_ns(f->waited_ns, a), threads,
            findings_list_percent(f->waited_ns, f->run_ns), presumed,
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

static void find_builds(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_host_calls *h = &f->calls;
    double build = findings_list_percent(f->phases.ns[CW_PHASE_BUILD], f->run_ns);
    char title[100], a[16], b[16], kernels[160], where[260] = "", same[300] = "",
                                                 place[CW_FINDINGS_LIST_TEXT];

    if (h->longest_build < l->t->programs.count && kernels_of(l->t, h->longest_build, kernels)[0])
        snprintf(where, sizeof where, ", the program of %s", kernels);
    if (h->same.builds > 1)
        snprintf(same, sizeof same,
                 " %llu of them are of the same source with the same options, first%.160s.",
                 N(h->same.builds), cw_findings_list_place(l, " at ", h->same.callsite, place));
    snprintf(title, sizeof title, "Building programs takes %.0f %% of the run", build);
    if (build > 10 || (h->same.builds > 1 && build > 2))
        cw_findings_list_add(l, CW_FINDING_HINT, title,
                             "%s took %s (longest: %s%s).%s Build once and keep the binary "
                             "(clCreateProgramWithBinary), build in another thread, or leave out what is not "
                             "used.%s",
                             CW_COUNT(h->builds, "build"), cw_quantity_ns(h->build_ns, a),
                             cw_quantity_ns(h->longest_build_ns, b), where, same,
                             of_run(f, " `clweave run` answers builds of later runs from a cache."));
}

static void find_first_launches(struct cw_findings_list *l, const struct cw_figures *f)
{
    double first = findings_list_percent(f->phases.ns[CW_PHASE_FIRST], f->run_ns);
    char title[100], a[16], late[80] = "", calls[80] = "";

    if (f->first.count)
        snprintf(late, sizeof late, "%s began late", CW_COUNT(f->first.count, "launch"));
    if (f->first.calls)
        snprintf(calls, sizeof calls, "%s%s took long to enqueue", late[0] ? " and " : "",
                 CW_COUNT(f->first.calls, "launch"));
    snprintf(title, sizeof title, "First launches take %.0f %% of the run", first);
    /* where waits show most of it find_host_waits says so */
    if (first > 10 && findings_list_percent(f->first.waited_ns, f->run_ns) <= 20)
        cw_findings_list_add(
            l, CW_FINDING_HINT, title,
            "Presumably the vendor compiles kernels when they are launched first: %s%s, %s in "
            "all. This is no waiting for results; kept builds save it.",
            late, calls, cw_quantity_ns(f->phases.ns[CW_PHASE_FIRST], a));
}

static void find_injected(struct cw_findings_list *l)
{
    const struct cw_trace *t = l->t;
    size_t n = 0;

    for (size_t i = 0; i < t->programs.count; i++)
        n += t->programs.v[i].injected_for != 0;
    if (n)
        cw_findings_list_add(l, CW_FINDING_NOTE, "Injected programs",
                             "%zu of %s ran with a text of --set inject in place of %s own.", n,
                             CW_COUNT(t->programs.count, "program"),
                             t->programs.count == 1 ? "its" : "their");
}

static void find_waits(struct cw_findings_list *l, const struct cw_graph_summary *s,
                       const struct cw_figures *f)
{
    if (f->waits_only > s->works / 10 && f->waits_only > 4)
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Commands only stood in line",
            "%llu of %s depend on nothing before them and waited only because their in-order queue had them "
            "behind others. Out-of-order or several queues would free them.%s%s",
            N(f->waits_only), CW_COUNT(s->works, "command"),
            of_run(f, " `clweave run` can, without a change; --summary says how many it reordered."),
            of_streams(f, " `clweave run` tries that on this GPU without a change."));
    find_host_waits(l, f);
}

/* Contexts of several devices. Run mode's own traces have helpers in them, which no context of the program
 * has. */
static void find_shared_contexts(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_trace *t = l->t;
    const struct cw_shared_contexts *s = &f->shared;
    char a[16], b[16], lost[16];

    if (s->alone != CW_NONE && !f->of_run)
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Devices of one context never work at once",
            "%u devices of context %u worked for %s, one after the other, though not all of it depends on "
            "the rest: "
            "side by side it would take %s%s less. %s",
            s->devices, s->alone, cw_quantity_ns(s->busy_ns, a), s->by_host ? "up to " : "at least ",
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
        cw_findings_list_add(
            l, CW_FINDING_HINT, "The driver moves buffers between devices",
            "%s %s used by devices of one context in turn, %llu times in all: each time the driver "
            "moves "
            "the whole buffer, %s together (memory object %u, %s, most often), NVIDIA's at 1.4 GB/s between "
            "two "
            "H200. Give each device buffers or sub-buffers of its own, and copy by way of the host what "
            "another "
            "one needs.",
            CW_COUNT(s->moved_objects, "buffer"), s->moved_objects == 1 ? "is" : "are", N(s->moves),
            cw_quantity_bytes(s->moved_bytes, a), s->most_moved,
            cw_quantity_bytes(t->memory.v[s->most_moved].size, b));
}

static void find_idle_devices(struct cw_findings_list *l, const struct cw_figures *f)
{
    const struct cw_trace *t = l->t;
    char title[100], a[16], b[16];

    for (size_t d = 0; d < f->device_count; d++) {
        const struct cw_device_figures *v = &f->devices[d];
        if (t->process.times_every || v->commands < 2 || findings_list_percent(v->busy_ns, v->span_ns) > 80)
            continue;
        snprintf(title, sizeof title, "Device %zu is idle %s%.0f %% of its time", d,
                 v->without_times ? "at most " : "", 100 - findings_list_percent(v->busy_ns, v->span_ns));
        cw_findings_list_add(
            l, CW_FINDING_HINT, title,
            "%.200s ran for %s%s within %s. The gaps are the host's (enqueue further ahead, wait less "
            "often), the vendor's "
            "compiler's at first launches, or what handing over each command costs.",
            t->devices.v[d].name ? t->devices.v[d].name : "It", v->without_times ? "at least " : "",
            cw_quantity_ns(v->busy_ns, a), cw_quantity_ns(v->span_ns, b));
    }
}

static void find_costs(struct cw_findings_list *l, const struct cw_graph_summary *s,
                       const struct cw_figures *f)
{
    char a[16], b[16];

    if (f->kernels > 20 && findings_list_percent(f->short_kernels, f->kernels) > 50)
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Many short kernels",
            "%llu of %s%s take less than %d us: handing them to the device may cost as much as running them. "
            "Fusing kernels helps.%s",
            N(f->short_kernels), CW_COUNT(f->kernels, "launch"),
            l->t->process.times_every ? " that have times" : "", CW_SHORT_KERNEL_NS / 1000,
            of_run(f, " `clweave run` hands chains over at once where it manages them (--summary)."));
    if (s->device_ns && findings_list_percent(f->host_ns, s->device_ns) > 25)
        cw_findings_list_add(
            l, CW_FINDING_HINT, "Transfers weigh",
            "%s between host and devices moved %s%s in %s%s, %.0f %% of all device time%s. Mapped "
            "or USE_HOST_PTR buffers "
            "avoid copies on devices that share the host's memory.%s",
            CW_COUNT(f->host_transfers, "transfer"), f->host_bytes_at_most ? "at most " : "",
            cw_quantity_bytes(f->host_bytes, a), l->t->process.times_every ? "at least " : "",
            cw_quantity_ns(f->host_ns, b), findings_list_percent(f->host_ns, s->device_ns),
            s->without_times ? " that is known" : "",
            of_streams(f, " `clweave run` sends large ones of pageable memory to this GPU "
                          "more quickly."));
    if (f->unused_objects)
        cw_findings_list_add(l, CW_FINDING_NOTE, "Memory that nothing touches",
                             "%s (%s) %s created and then used by no command.",
                             CW_COUNT(f->unused_objects, "memory object"),
                             cw_quantity_bytes(f->unused_bytes, a), f->unused_objects == 1 ? "is" : "are");
}

static void find_doubts(struct cw_findings_list *l, const struct cw_graph_summary *s,
                        const struct cw_figures *f)
{
    char streams[64] = "", staged[80] = "";

    if (f->streamed)
        snprintf(streams, sizeof streams, ", gave %llu to streams", N(f->streamed));
    if (f->staged)
        snprintf(staged, sizeof staged, ", sent %s through pinned memory", CW_COUNT(f->staged, "transfer"));
    if (f->of_run)
        cw_findings_list_add(l, CW_FINDING_NOTE, "A run of clweave's own",
                             "`clweave run` recorded this: it decided where and when %llu of %s ran%s%s; the "
                             "others were left to the "
                             "vendor. A trace of the program alone is made by `clweave trace`.",
                             N(f->managed), CW_COUNT(s->enqueues, "command"), streams, staged);
    if (s->unproven)
        cw_findings_list_add(l, CW_FINDING_NOTE, "Edges that rest on doubt",
                             "%llu of %s would not be there if every const and CL_MEM_ flag were true. Flags "
                             "are cheap: create "
                             "buffers that kernels only read with CL_MEM_READ_ONLY.",
                             N(s->unproven), CW_COUNT(s->binding, "binding edge"));
    if (l->t->process.impossible_times)
        cw_findings_list_add(
            l, CW_FINDING_NOTE, "Device times that cannot be",
            "The vendor's profiling gave %s times that no clock can have shown: out of order, or "
            "standing still while the host's clock ran. They are left out.",
            CW_COUNT(l->t->process.impossible_times, "command"));
    else if (s->works && s->device_ns == 0)
        cw_findings_list_add(
            l, CW_FINDING_NOTE, "No device times",
            were_times_asked_for(l->t)
                ? "Chains are measured in commands: the end of no command was seen, so none has a time."
                : "Chains are measured in commands. Trace with --device-times to have them in time.");
    else if (l->t->process.times_every)
        cw_findings_list_add(
            l, CW_FINDING_NOTE, "Few commands have device times, drawn by lot",
            "One command in %llu was to have them (--device-times=every:N): %llu of %s have none. What "
            "kernels and kinds of command took is estimated from the others. Busy times and the critical "
            "path are at least what is said here; phases, idle times and first launches need the times of "
            "all commands.",
            N(l->t->process.times_every), N(s->without_times), CW_COUNT(s->works, "command"));
    else if (s->without_times)
        cw_findings_list_add(
            l, CW_FINDING_NOTE, "Not all commands have device times",
            "%llu of %s have none. Device times and the critical path are at least what is said "
            "here, and what more "
            "devices could gain is not known. Trace with --device-times to have all of them.",
            N(s->without_times), CW_COUNT(s->works, "command"));
}

size_t cw_findings(struct cw_finding out[CW_FINDINGS_MAX], const struct cw_trace *t,
                   const struct cw_graph_summary *s, const struct cw_figures *f,
                   const struct cw_critical_path *path)
{
    struct cw_findings_list l = {out, 0, t, cw_code_places_create(t)};

    cw_findings_troubles(&l, f);
    find_builds(&l, f);
    find_first_launches(&l, f);
    find_parallelism(&l, s, f, path);
    find_reuse(&l, s);
    find_waits(&l, s, f);
    find_injected(&l);
    cw_findings_habits(&l, f);
    find_shared_contexts(&l, f);
    find_idle_devices(&l, f);
    find_costs(&l, s, f);
    cw_findings_habits_unreleased(&l, f);
    find_doubts(&l, s, f);
    cw_code_places_destroy(l.places);
    return l.count;
}

/* ---- the list of findings */

void cw_findings_list_add(struct cw_findings_list *l, enum cw_finding_kind kind, const char *title,
                          const char *text, ...)
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

const char *cw_findings_list_place(const struct cw_findings_list *l, const char *before,
                                   struct cw_slice callsite, char text[CW_FINDINGS_LIST_TEXT])
{
    char code[CW_CODE_PLACES_TEXT];

    cw_code_places_name(l->places, callsite, code);
    snprintf(text, CW_FINDINGS_LIST_TEXT, "%s%s", code[0] ? before : "", code);
    return text;
}

const char *cw_findings_list_command(const struct cw_findings_list *l, uint32_t command,
                                     char text[CW_FINDINGS_LIST_TEXT])
{
    const struct cw_command *k = &l->t->commands.v[command];
    const char *kernel = k->kernel < l->t->kernels.count ? l->t->kernels.v[k->kernel].name : NULL;
    const char *name = cw_trace_command_function_name(k->type);
    char place[CW_FINDINGS_LIST_TEXT];

    snprintf(text, CW_FINDINGS_LIST_TEXT, "#%u %.40s%s%.60s%.110s", cw_trace_command_number(l->t, command),
             name ? name : cw_trace_command_short_name(k->type), kernel ? " of " : "", kernel ? kernel : "",
             cw_findings_list_place(l, " at ", k->callsite, place));
    return text;
}

/* part of whole, in percent; 0 of nothing. */
static double findings_list_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}
