/* cmd_diff.c - clweave diff: two traces side by side. */
#include "frame/cli.h"
#include "traces.h"
#include "../explain/draw/trace_diff_print.h"
#include "../io/output.h"

#include <stdlib.h>
#include <string.h>

struct diff_options {
    const char *out, *by;
    bool json;
    struct cw_selection selection;
};

static const struct cw_cli_option options[] = {
    {"out", 'o', CW_CLI_STRING, offsetof(struct diff_options, out), "FILE.html", NULL,
     "write a page to FILE.html (- for standard output) instead of tables"},
    {"by", 'b', CW_CLI_CHOICE, offsetof(struct diff_options, by), "name|size", "name|size",
     "a row for each kernel and kind of command (default), or for each of their sizes: NDRange, bytes"},
    {"json", 'j', CW_CLI_BOOL, offsetof(struct diff_options, json), NULL, NULL, "print it as JSON"},
    CW_SELECTION_ROWS(struct diff_options),
    CW_CLI_END,
};
static const struct diff_options defaults = {.by = "name"};

static const char *const output[] = {
    "A, B",
    "the two traces; in the tables what is of each",
    "phase",
    "those of `clweave report`, each moment of the run counted once; - where a trace does not say. enqueue "
    "calls, wait calls: of all threads together",
    "change",
    "the median of the ratios of all pairs of a value of B and one of A (Hodges, Lehmann), less 1; as a "
    "factor "
    "where it is doubled or halved",
    "95 %",
    "interval that holds the true change with 95 %",
    "command",
    "kernel or kind of command; --by size: with its NDRange/work-group, or bytes",
    "in A, in B",
    "how many there are; of these: how many failed or were refused",
    "total A, total B",
    "device time of all of them; - without --device-times",
    "median A, median B",
    "of the times of single ones",
    "p",
    "of the rank-sum test (Wilcoxon, Mann, Whitney; two-sided), adjusted for the number of rows (Holm): how "
    "likely so large a difference is by chance; - where a side has fewer than 4 values, or too few for any "
    "difference to show beside the other rows",
    "B is",
    "faster or slower: p below 0.05, change at least 1 %; same: no such difference; too few times, no times, "
    "only in one; "
    "some longer: the mean changes by 20 % more than the typical time, so a few commands take much longer",
    "not the same number",
    "of commands with this name and size; B has: missing or extra ones",
    "alike",
    "commands at the beginning with the same names and sizes, in the order of enqueueing",
    NULL,
};

static const char *const examples[] = {
    "clweave trace --device-times -o a.json -- ./app\n  clweave run --device-times -o b.json -- ./app\n"
    "  clweave diff a.json b.json",
    "a program as it is and under run",
    "clweave diff before.json after.json -o diff.html",
    "two versions, as a page for the browser",
    "clweave diff a.json b.json --kernel '^fft' --from 2s",
    "some kernels, without the first two seconds of each run",
    NULL};

static enum cw_status write_page(const struct cw_trace_diff *d, const char *path, const char *const names[],
                                 struct cw_error *err)
{
    struct cw_output out;
    enum cw_status status = cw_output_open(&out, path, 0666, err);

    if (status)
        return status;
    cw_trace_diff_page(d, names, out.f);
    return cw_output_close(&out, CW_OK, err);
}

static enum cw_status show(const struct diff_options *o, const struct cw_trace *const *trace, int runs,
                           char **argv, struct cw_error *err)
{
    const char *const names[CW_DIFF_SIDES] = {argv[0], argv[runs]};
    struct cw_trace_diff d;
    enum cw_status status =
        cw_trace_diff_init(&d, trace, trace + runs, (size_t)runs, strcmp(o->by, "size") == 0, err);

    if (!status && o->out)
        status = write_page(&d, o->out, names, err);
    else if (!status)
        (o->json ? cw_trace_diff_print_json : cw_trace_diff_print)(&d, names, stdout);
    cw_trace_diff_finish(&d);
    return status;
}

/* The part of the trace at `path` that the options select. */
static enum cw_status load_part(const struct diff_options *o, const char *path, struct cw_trace *t,
                                struct cw_error *err)
{
    struct cw_error why = {0};
    enum cw_status status = cw_footprints_load(t, path, err);

    if (status)
        return status;
    status = cw_selection_apply(t, &o->selection, &why);
    return status ? cw_error_set(err, status, "%s: %s", path, why.text) : CW_OK;
}

static int run(const void *values, int argc, char **argv)
{
    const struct diff_options *o = values;
    struct cw_trace *t;
    const struct cw_trace **pointer;
    struct cw_error err = {0};
    enum cw_status status = CW_OK;

    if (o->json && o->out) {
        cw_cli_complain("diff: --json prints tables as JSON, --out writes a page: give one of them");
        return CW_EXIT_USAGE;
    }
    if (argc % 2) {
        cw_cli_complain("diff: as many traces of A as of B are needed, and these are %d", argc);
        return CW_EXIT_USAGE;
    }
    if (!cw_selection_options_check(&o->selection))
        return CW_EXIT_USAGE;
    t = calloc((size_t)argc, sizeof *t);
    pointer = calloc((size_t)argc, sizeof *pointer);
    if (!t || !pointer)
        status = cw_error_set(&err, CW_ERR_NOMEM, "diff: out of memory");
    for (int i = 0; !status && i < argc; i++) {
        pointer[i] = &t[i]; /* zeroed: empty */
        status = load_part(o, argv[i], &t[i], &err);
    }
    if (!status)
        status = show(o, pointer, argc / 2, argv, &err);
    for (int i = 0; t && i < argc; i++)
        cw_trace_finish(&t[i]);
    free(pointer);
    free(t);
    return status ? cw_cli_fail(&err) : CW_EXIT_OK;
}

const struct cw_command_def cw_cmd_diff = {
    .name = "diff",
    .summary = "compare two traces: times of kernels and phases, missing and extra commands",
    .usage = "[-o FILE.html | --json] [--by size] A... B...",
    .details =
        "A and B are JSON traces or binary logs, best recorded with --device-times: of a program as it is "
        "and under `clweave run -o`, before and after a change, on two vendors' devices. Commands are "
        "matched by name: the kernel's, or the kind of command. Of several traces the first half are A, the "
        "others B.\n\n"
        "Whether times differ says a test that asks nothing of their distribution, so a first launch that "
        "compiles does not decide. Of two traces it compares the times of single commands. These are not "
        "independent within a run, and runs differ from each other: the answer is about these two runs, and "
        "phases, one number of each, are not tested. With four traces a side or more one value of each run "
        "is compared, of phases too, and the answer is about the program.\n\n"
        "--from, --to, --commands, --windows and --kernel choose a part of each trace, by its own numbers "
        "and times.",
    .options = options,
    .output = output,
    .examples = examples,
    .defaults = &defaults,
    .values_size = sizeof(struct diff_options),
    .min_operands = 2,
    .max_operands = -1,
    .run = run,
};
