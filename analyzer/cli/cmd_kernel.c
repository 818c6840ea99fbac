/* cmd_kernel.c - clweave kernel: the bytes that kernels of an OpenCL C file touch, how they may be cut, their
 * operations. */
#include "frame/cli.h"
#include "kernel.h"
#include "../io/output.h"
#include "../io/folders.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel_options {
    const char *kernel, *launch, *seconds;
    struct cw_cli_list defines, folders, build, set;
    bool json, rewritten;
};

static const struct cw_cli_option options[] = {
    {"kernel", 'k', CW_CLI_STRING, offsetof(struct kernel_options, kernel), "NAME", NULL, "only this kernel"},
    {"define", 'D', CW_CLI_LIST, offsetof(struct kernel_options, defines), "NAME[=VALUE]", NULL,
     "a macro, as the program's build options define it"},
    {"include", 'I', CW_CLI_LIST, offsetof(struct kernel_options, folders), "FOLDER", NULL,
     "where #include finds files"},
    {"build-option", 'b', CW_CLI_LIST, offsetof(struct kernel_options, build), "OPTION", NULL,
     "another build option of the program; those of OpenCL, such as -cl-std=CL2.0 and -w, need no -b"},
    {"launch", 'l', CW_CLI_STRING, offsetof(struct kernel_options, launch), "SIZE/LOCAL", NULL,
     "also say what a launch comes to, for example 512x512/16x16"},
    {"set", 's', CW_CLI_LIST, offsetof(struct kernel_options, set), "ARG=VALUE", NULL,
     "value of an integer argument, bytes of a buffer, or the argument whose buffer it is as well"},
    {"seconds", 0, CW_CLI_STRING, offsetof(struct kernel_options, seconds), "N", NULL,
     "processor time that the analysis may take (default 10)"},
    {"json", 'j', CW_CLI_BOOL, offsetof(struct kernel_options, json), NULL, NULL, "print JSON"},
    {"rewritten", 'r', CW_CLI_BOOL, offsetof(struct kernel_options, rewritten), NULL, NULL,
     "print the source that runs when launches are cut"},
    CW_CLI_END,
};

enum { FIXED_WORDS = 6 };

/* The helper's words, NULL-ended. -D and -I stand together with their values, in `joined`. */
struct question {
    const char **words;
    char **joined;
    size_t n, joins;
};

static void ask_with(struct question *q, const char *prefix, const struct cw_cli_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t size = strlen(prefix) + strlen(list->word[i]) + 1;
        char *word = malloc(size);
        if (!word)
            continue;
        snprintf(word, size, "%s%s", prefix, list->word[i]);
        q->words[q->n++] = q->joined[q->joins++] = word;
    }
}

/* Errors: CW_ERR_NOMEM; question_finish is due then as well. */
static enum cw_status question_init(struct question *q, const struct kernel_options *o, const char *launches,
                                    const char *path, struct cw_error *err)
{
    size_t joined = o->defines.count + o->folders.count;

    *q = (struct question){.words = calloc(joined + o->build.count + FIXED_WORDS, sizeof *q->words),
                           .joined = calloc(joined + 1, sizeof *q->joined)};
    if (!q->words || !q->joined)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for build options");
    if (o->seconds) {
        q->words[q->n++] = "--seconds";
        q->words[q->n++] = o->seconds;
    }
    if (launches) {
        q->words[q->n++] = "--eval";
        q->words[q->n++] = launches;
    } else if (o->kernel) {
        q->words[q->n++] = "--kernel";
        q->words[q->n++] = o->kernel;
    }
    ask_with(q, "-D", &o->defines);
    ask_with(q, "-I", &o->folders);
    for (size_t i = 0; i < o->build.count; i++)
        q->words[q->n++] = o->build.word[i];
    q->words[q->n++] = path;
    return CW_OK;
}

static void question_finish(struct question *q)
{
    for (size_t i = 0; i < q->joins; i++)
        free(q->joined[i]);
    free(q->joined);
    free(q->words);
}

/* ---- a launch */

/* "512x256" as up to three positive numbers; NULL when it is something else. `end`: behind it. */
static json_t *sizes(const char *text, const char **end)
{
    json_t *list = json_array();
    for (int d = 0; d < 3; d++) {
        char *after;
        long long n = strtoll(text, &after, 10);
        if (after == text || n < 1 || n > INT64_MAX / 8)
            break;
        json_array_append_new(list, json_integer(n));
        text = after;
        *end = after;
        if (*text != 'x')
            return list;
        text++;
    }
    json_decref(list);
    return NULL;
}

static int argument_index(const json_t *args, const char *name, size_t n)
{
    size_t i;
    json_t *a;
    json_array_foreach(args, i, a)
    {
        const char *s = json_string_value(json_object_get(a, "name"));
        if (s && strlen(s) == n && !strncmp(s, name, n))
            return (int)i;
    }
    return -1;
}

/* The default of an argument: a buffer larger than any, a scalar of no known value. */
static json_t *unsaid(const json_t *arg)
{
    const char *kind = json_string_value(json_object_get(arg, "kind"));
    bool buffer = kind && (!strcmp(kind, "global") || !strcmp(kind, "constant") || !strcmp(kind, "image"));
    if (buffer)
        return json_pack("{s:I}", "buffer", (json_int_t)1 << 50);
    return kind && !strcmp(kind, "local") ? json_pack("{s:i}", "local", 0) : json_null();
}

/* NAME=NUMBER or NAME=OTHER into `values`. */
static enum cw_status set(json_t *values, const json_t *args, const char *word, struct cw_error *err)
{
    const char *equals = strchr(word, '=');
    int at = equals ? argument_index(args, word, (size_t)(equals - word)) : -1, same;
    char *end;
    if (!equals || !equals[1])
        return cw_error_set(err, CW_ERR_INVALID, "--set %s: write ARG=VALUE", word);
    if (at < 0) /* of another kernel of the file: check_names */
        return CW_OK;
    long long n = strtoll(equals + 1, &end, 0);
    json_t *value = json_array_get(values, (size_t)at);
    if (!*end && json_object_get(value, "buffer"))
        json_object_set_new(value, "buffer", json_integer(n));
    else if (!*end)
        json_array_set_new(values, (size_t)at, json_pack("{s:I}", "scalar", (json_int_t)n));
    else if ((same = argument_index(args, equals + 1, strlen(equals + 1))) >= 0 &&
             json_object_get(value, "buffer")) {
        json_object_set_new(json_array_get(values, (size_t)same), "allocation", json_integer(same + 1));
        json_array_set(values, (size_t)at, json_array_get(values, (size_t)same));
    } else {
        double real = strtod(equals + 1, &end);
        if (*end)
            return cw_error_set(err, CW_ERR_INVALID, "--set %s: %s is neither a number nor an argument", word,
                                equals + 1);
        json_array_set_new(values, (size_t)at, json_pack("{s:f}", "scalar", real));
    }
    return CW_OK;
}

/* The launch of `kernel` that --launch and --set describe, with the work-group in its middle as the only
 * tile. */
static enum cw_status describe_launch(const struct kernel_options *o, const json_t *kernel, json_t **launch,
                                      struct cw_error *err)
{
    const json_t *args = json_object_get(kernel, "args");
    const char *rest = "", *end = "";
    json_t *global = sizes(o->launch, &rest), *local = global && *rest == '/' ? sizes(rest + 1, &end) : NULL;
    json_t *values = json_array(), *first = json_array(), *count = json_array(), *a;
    enum cw_status status = CW_OK;
    size_t i;
    json_array_foreach(args, i, a) json_array_append_new(values, unsaid(a));
    for (i = 0; i < o->set.count && status == CW_OK; i++)
        status = set(values, args, o->set.word[i], err);
    if (!local || *end || json_array_size(local) != json_array_size(global))
        status =
            cw_error_set(err, CW_ERR_INVALID,
                         "--launch %s: write SIZE/LOCAL, for example 1024/64 or 512x512/16x16", o->launch);
    for (i = 0; i < json_array_size(global) && status == CW_OK; i++) {
        json_int_t g = json_integer_value(json_array_get(global, i)),
                   l = json_integer_value(json_array_get(local, i));
        json_array_append_new(first, json_integer((g + l - 1) / l / 2));
        json_array_append_new(count, json_integer(1));
    }
    *launch = status == CW_OK ? json_pack("{s:O, s:O, s:O, s:O, s:[{s:O, s:O}]}", "kernel",
                                          json_object_get(kernel, "name"), "global", global, "local", local,
                                          "args", values, "tiles", "first", first, "count", count)
                              : NULL;
    if (status == CW_OK && !*launch)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    json_decref(global);
    json_decref(local);
    json_decref(values);
    json_decref(first);
    json_decref(count);
    return status;
}

/* Asks about the launches; their answers come in the same order. */
static enum cw_status ask_launches(const struct kernel_options *o, const char *path, json_t *launches,
                                   json_t **answer, struct cw_error *err)
{
    struct question q = {0};
    char name[PATH_MAX];
    int fd, length = snprintf(name, sizeof name, "%s/clweave-kernel-XXXXXX", cw_temporary_folder());

    fd = length < PATH_MAX ? mkstemp(name) : -1;
    if (fd < 0)
        return cw_error_set(err, CW_ERR_IO, "cannot make a file in %s", cw_temporary_folder());
    json_t *file = json_pack("{s:O}", "launches", launches);
    int bad = !file || json_dumpfd(file, fd, JSON_COMPACT);
    bad |= close(fd) != 0;
    enum cw_status status = bad ? cw_error_set(err, CW_ERR_IO, "cannot write %s", name) : CW_OK;
    if (status == CW_OK)
        status = question_init(&q, o, name, path, err);
    if (status == CW_OK)
        status = cw_kernel_ask(q.words, answer, err);
    question_finish(&q);
    json_decref(file);
    unlink(name);
    return status;
}

/* Every name that --set gives is an argument of a kernel. */
static enum cw_status check_names(const struct kernel_options *o, const json_t *kernels, struct cw_error *err)
{
    size_t args = 0, n = 0, i, k;
    const json_t *kernel, *arg;
    const char **names;
    enum cw_status status = CW_OK;

    json_array_foreach(kernels, i, kernel) args += json_array_size(json_object_get(kernel, "args"));
    names = calloc(args + 1, sizeof *names);
    if (!names)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    json_array_foreach(kernels, i, kernel) json_array_foreach(
        json_object_get(kernel, "args"), k, arg) if (json_string_value(json_object_get(arg, "name")))
        names[n++] = json_string_value(json_object_get(arg, "name"));
    for (i = 0; i < o->set.count && status == CW_OK; i++) {
        size_t length = strcspn(o->set.word[i], "=");
        char *name = strndup(o->set.word[i], length);
        const char *near = name ? cw_cli_nearest(name, names) : NULL;
        if (!near || strcmp(near, name) != 0)
            status = cw_error_set(err, CW_ERR_INVALID, "--set %s: no kernel has an argument %s%s%s%s",
                                  o->set.word[i], name ? name : "", near ? " (did you mean " : "",
                                  near ? near : "", near ? "?)" : "");
        free(name);
    }
    free(names);
    return status;
}

static enum cw_status judge_launches(const struct kernel_options *o, const char *path, json_t *description,
                                     struct cw_error *err)
{
    json_t *launches = json_array(), *answer = NULL, *kernel;
    enum cw_status status = check_names(o, json_object_get(description, "kernels"), err);
    size_t i;
    json_array_foreach(json_object_get(description, "kernels"), i, kernel)
    {
        json_t *l = NULL;
        if (status == CW_OK)
            status = describe_launch(o, kernel, &l, err);
        if (l)
            json_array_append_new(launches, l);
    }
    if (status == CW_OK)
        status = ask_launches(o, path, launches, &answer, err);
    if (status == CW_OK) {
        json_object_set(description, "launches", launches);
        json_object_set(description, "results", json_object_get(answer, "results"));
    }
    json_decref(answer);
    json_decref(launches);
    return status;
}

/* ---- the command */

/* The build options of clBuildProgram and clLinkProgram, as the specification and vendors have them. */
static int build_option_words(const char *word)
{
    static const char *const begin[] = {"-cl-", "-nv-", "-spir-std=", "-W", "-O", "-U"},
                             *const whole[] = {"-w", "-g", "-create-library", "-enable-link-options"};

    if (strcmp(word, "-x") == 0 || strcmp(word, "-U") == 0)
        return 2;
    for (size_t k = 0; k < sizeof begin / sizeof *begin; k++)
        if (strncmp(word, begin[k], strlen(begin[k])) == 0)
            return 1;
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        if (strcmp(word, whole[k]) == 0)
            return 1;
    return 0;
}

static void print(const json_t *description)
{
    const json_t *results = json_object_get(description, "results"),
                 *launches = json_object_get(description, "launches");
    size_t i;
    json_t *kernel;
    json_array_foreach(json_object_get(description, "kernels"), i, kernel)
    {
        if (i)
            putchar('\n');
        cw_kernel_print(stdout, kernel);
        if (results)
            cw_kernel_print_launch(stdout, kernel, json_array_get(launches, i), json_array_get(results, i));
    }
}

/* --rewritten: the build options are the helper's words, but for its own and the file at their end. */
static enum cw_status print_rewritten(const struct question *q, const char *path, struct cw_error *err)
{
    size_t size = 1;
    struct cw_output out;
    char *build;
    enum cw_status status;

    for (size_t i = 0; i + 1 < q->n; i++)
        size += strlen(q->words[i]) + 1;
    build = calloc(size, 1);
    if (!build)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i + 1 < q->n; i++) {
        strcat(build, i ? " " : "");
        strcat(build, q->words[i]);
    }
    status = cw_output_open(&out, "-", 0666, err); /* a source for a compiler: every byte as it is */
    if (status == CW_OK)
        status = cw_output_close(&out, cw_kernel_print_rewritten(path, build, out.f, err), err);
    free(build);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct kernel_options *o = values;
    struct cw_error err = {0};
    struct question q;
    json_t *description = NULL;
    (void)argc;
    if (o->set.count && !o->launch) {
        cw_cli_complain("kernel: --set is about a launch: it needs --launch SIZE/LOCAL");
        return CW_EXIT_USAGE;
    }
    if (access(argv[0], R_OK)) {
        cw_cli_complain("cannot read %s: %s", argv[0], strerror(errno));
        return CW_EXIT_FAILURE;
    }
    if (o->rewritten && (o->kernel || o->launch || o->seconds || o->json)) {
        cw_cli_complain("kernel: --rewritten prints the whole source and goes with build options only");
        return CW_EXIT_USAGE;
    }
    enum cw_status status = question_init(&q, o, NULL, argv[0], &err);
    if (status == CW_OK)
        status =
            o->rewritten ? print_rewritten(&q, argv[0], &err) : cw_kernel_ask(q.words, &description, &err);
    question_finish(&q);
    if (status == CW_OK && o->launch)
        status = judge_launches(o, argv[0], description, &err);
    if (status == CW_OK && o->json) {
        json_dumpf(description, stdout, JSON_INDENT(1));
        putchar('\n');
    } else if (status == CW_OK && !o->rewritten) {
        print(description);
    }
    json_decref(description);
    if (status == CW_OK)
        return CW_EXIT_OK;
    if (status != CW_ERR_INVALID)
        return cw_cli_fail(&err);
    cw_cli_complain("kernel: %s", err.text);
    return CW_EXIT_USAGE;
}

static const char *const examples[] = {
    "clweave kernel matmul.cl -DTILE=16",
    "describe all kernels of a file",
    "clweave kernel stencil.cl --launch 1024x1024/16x16 --set width=1024 --set height=1024",
    "say which bytes a launch touches and how it may be cut",
    "clweave kernel matmul.cl -DTILE=16 --rewritten",
    "show the source that runs when launches are cut",
    NULL};

static const char *const output[] = {
    "may see its work-groups",
    "another local size may give other results (groups in JSON)",
    "arguments",
    "of each kernel: not touched, read, write; exact: exactly those bytes; else why not",
    "a work-item touches",
    "bytes by its numbers: gid0 is get_global_id(0), lid, grp likewise",
    "a launch may be cut",
    "into ranges of work-groups for several devices, along which dimension",
    "operations",
    "of one work-item, on average where branches differ",
    NULL,
};

const struct cw_command_def cw_cmd_kernel = {
    .name = "kernel",
    .summary = "say which bytes kernels touch, how they may be cut, and their operations",
    .usage = "[options] FILE.cl [build options]",
    .details =
        "For each kernel of an OpenCL C file, or of a SPIR-V module: its arguments and how they are "
        "accessed, a formula for the "
        "bytes of each "
        "access, whether a launch may be cut into ranges of work-groups for several devices and why not, and "
        "how many "
        "operations a work-item does. Formulas speak of global ids (gid0), local ids (lid0), groups (grp0), "
        "sizes "
        "(gsz0, lsz0, ngrp0), arguments by name and completed iterations of loops (k0); ? is a value from "
        "memory.\n\n"
        "Of writes 'exact' means that every byte of the formula is written, 'at-most' that no other byte is, "
        "'unknown' that any byte of the buffer may be. With --launch a buffer that --set does not size is "
        "larger "
        "than any index, and an integer that --set does not give is not known.",
    .options = options,
    .output = output,
    .examples = examples,
    .values_size = sizeof(struct kernel_options),
    .min_operands = 1,
    .max_operands = 1,
    .raw = "build-option",
    .raw_words = build_option_words,
    .run = run,
};
