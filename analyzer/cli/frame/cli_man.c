/* cli_man.c - the manual pages, from the tables of commands, options, settings and caches. */
#include "../../io/file_store.h"
#include "cli.h"
#include "../../settings/options.h"

#include <string.h>

/* roff: a leading dot or quote, backslashes and dashes need care. */
static void text(FILE *f, const char *words)
{
    for (const char *p = words; *p; p++) {
        if ((p == words || p[-1] == '\n') && (*p == '.' || *p == '\''))
            fputs("\\&", f);
        if (*p == '\\')
            fputs("\\e", f);
        else if (*p == '-')
            fputs("\\-", f);
        else
            fputc(*p, f);
    }
    fputc('\n', f);
}

/* An entry of a list: what it is, in bold, then its explanation. */
static void entry(FILE *f, const char *head, const char *explanation)
{
    fputs(".TP\n.B ", f);
    text(f, head);
    text(f, explanation);
}

static void begin(FILE *f, const char *name, const char *summary)
{
    fprintf(f, ".TH %s 1 \"\" \"clweave " CW_VERSION "\" \"User Commands\"\n.SH NAME\n", name);
    fprintf(f, "%s \\- ", name);
    text(f, summary);
}

static void put_examples(FILE *f, const char *const *examples, size_t most)
{
    for (size_t i = 0; examples && examples[i] && i < 2 * most; i += 2) {
        fputs(".PP\n.nf\n", f);
        text(f, examples[i]);
        fputs(".fi\n.RS\n", f);
        text(f, examples[i + 1]);
        fputs(".RE\n", f);
    }
}

/* The variables of the library's settings: the user's, or those that an installation or a test sets. */
static void put_settings(FILE *f, bool internal)
{
    char variable[CW_OPTION_VARIABLE_BYTES], head[160];

    for (const struct cw_option_info *info = cw_option_table; info->name; info++) {
        const char *values = *info->choices ? info->choices : *info->argument ? info->argument : "1";

        if (((info->commands & CW_CMD_INTERNAL) != 0) != internal)
            continue;
        snprintf(head, sizeof head, "%s=%s", cw_options_variable(info, variable), values);
        entry(f, head, info->help);
    }
}

/* Variables of others that change what clweave does. */
static const char *const foreign[] = {
    "LD_PRELOAD, OPENCL_LAYERS",
    "load libclweave.so into a program without the tool; CLWEAVE_MODE says its mode",
    "XDG_CACHE_HOME, HOME",
    "the folder clweave in the first, else in .cache of the second, holds what runs keep",
    "TMPDIR",
    "folder of temporary files, /tmp without it",
    "PATH",
    "where clang, ld, dot, rsvg-convert and gnuplot are looked for",
    "OCL_ICD_VENDORS, OCL_ICD_FILENAMES",
    "of the OpenCL loader: the vendors that it loads",
    "POCL_CACHE_DIR, POCL_EXTRA_BUILD_FLAGS and other variables of PoCL",
    "count as part of each build that is kept",
    NULL,
};

static void put_environment(FILE *f)
{
    fputs(".SH ENVIRONMENT\nThe library has these settings. The tool has options of the same names, or takes "
          "them by\n\\-\\-set NAME=VALUE, for all but CLWEAVE_MODE; both win over variables.\n",
          f);
    put_settings(f, false);
    fputs(".PP\nThe tool, an installation or a test sets these:\n", f);
    put_settings(f, true);
    fputs(".PP\nOf others:\n", f);
    for (size_t i = 0; foreign[i]; i += 2)
        entry(f, foreign[i], foreign[i + 1]);
}

static void put_files(FILE *f)
{
    char path[128];

    fputs(".SH FILES\n", f);
    entry(f, "clweave-PROGRAM-PID.json",
          "the trace of a process, in its working folder, unless -o says another name; only its owner reads "
          "it");
    entry(f, "*.json.log", "the log of a process that runs or was killed; graph -o converts it");
    entry(f, "*.json.data", "the contents of buffers, of --capture-data");
    for (const struct cw_cache_store *s = cw_cache_stores; s->folder; s++) {
        snprintf(path, sizeof path, "$XDG_CACHE_HOME/clweave/%s/", s->folder);
        entry(f, path, s->holds);
    }
    entry(f, "$XDG_CACHE_HOME/clweave/history.db",
          "times of launches; clweave cache clear removes all these");
    entry(f, "libclweave.so." CW_ABI, "the library and layer: beside the tool, or in ../lib of it");
    entry(f, "../libexec/clweave/", "programs that the library and the tool start, beside bin");
}

static const struct cw_command_def *find(const struct cw_command_def *const *table, const char *name)
{
    while (*table && strcmp((*table)->name, name) != 0)
        table++;
    return *table;
}

static void see(FILE *f, const struct cw_command_def *const *table, const char *name)
{
    if (find(table, name))
        fprintf(f, ".BR clweave\\-%s (1),\n", name);
}

void cw_cli_man(FILE *f, const struct cw_command_def *const *table)
{
    begin(f, "clweave", "weave the kernels of an unmodified OpenCL program across devices and time");
    fputs(
        ".SH SYNOPSIS\n.B clweave\n<command> [options] [\\-\\- program arguments]\n"
        ".SH DESCRIPTION\nclweave records, explains and speeds up OpenCL programs as they are: a library is "
        "loaded into them,\nand sees each call to OpenCL. Results are the same bytes.\n.SH COMMANDS\n",
        f);
    for (size_t i = 0; table[i]; i++) {
        fprintf(f, ".SS clweave %s\n", table[i]->name);
        text(f, table[i]->summary);
        fprintf(f, ".br\nusage: clweave %s\n", table[i]->name);
        text(f, table[i]->usage);
        fprintf(f, ".br\n.BR clweave\\-%s (1)\n", table[i]->name);
    }
    fputs(".SH EXIT STATUS\n0 success, 1 failure, 2 usage. trace and run exit with the program's own status, "
          "128 + n when\nsignal n killed it, 1 when it could not be started.\n",
          f);
    put_environment(f);
    put_files(f);
    fputs(".SH EXAMPLES\n", f);
    for (size_t i = 0; table[i]; i++)
        put_examples(f, table[i]->examples, 1);
    fputs(".SH SEE ALSO\n", f);
    for (size_t i = 0; table[i]; i++)
        see(f, table, table[i]->name);
    fputs(".BR clinfo (1),\n.BR ld.so (8)\n", f);
}

/* Other commands whose pages a reader of the first one's wants. */
static const char *const neighbours[][4] = {
    {"trace", "graph", "report", "timeline"},    {"run", "learn", "cache", "doctor"},
    {"learn", "run", "cache", "doctor"},         {"graph", "trace", "report", "replay"},
    {"report", "trace", "graph", "timeline"},    {"timeline", "trace", "report", "graph"},
    {"diff", "trace", "report", "learn"},        {"replay", "trace", "compare", "simulate"},
    {"compare", "replay", "generate", "farm"},   {"simulate", "replay", "compare", "dispatch"},
    {"generate", "compare", "replay", "graph"},  {"farm", "dispatch", "compare", "generate"},
    {"dispatch", "farm", "simulate", "compare"}, {"kernel", "graph", "replay", "run"},
    {"devices", "doctor", "run", "replay"},      {"cache", "run", "learn", "doctor"},
    {"doctor", "run", "devices", "cache"},
};

static void see_also(FILE *f, const struct cw_command_def *const *table, const struct cw_command_def *def)
{
    fputs(".SH SEE ALSO\n", f);
    for (size_t i = 0; i < sizeof neighbours / sizeof *neighbours; i++)
        for (size_t k = 1; strcmp(neighbours[i][0], def->name) == 0 && k < 4; k++)
            see(f, table, neighbours[i][k]);
    fputs(".BR clweave (1)\n.PP\nThe last one explains files, variables and exit statuses of all commands.\n",
          f);
}

/* Settings of the library are variables, too. */
static void put_variables(FILE *f, const struct cw_command_def *def)
{
    CW_CLI_EACH(o, def->options)
    if (o->kind == CW_CLI_SHIM) {
        fputs(".SH ENVIRONMENT\nOptions and settings of the library are also variables: \\-\\-device\\-times "
              "is "
              "CLWEAVE_DEVICE_TIMES=1.\nclweave(1) explains them.\n",
              f);
        return;
    }
}

void cw_cli_man_command(FILE *f, const struct cw_command_def *const *table, const struct cw_command_def *def)
{
    char name[64], head[128];

    snprintf(name, sizeof name, "clweave-%s", def->name);
    begin(f, name, def->summary);
    fprintf(f, ".SH SYNOPSIS\n.B clweave %s\n", def->name);
    text(f, def->usage);
    if (def->details) {
        fputs(".SH DESCRIPTION\n", f);
        text(f, def->details);
    }
    fputs(".SH OPTIONS\n", f);
    CW_CLI_EACH(o, def->options)
    {
        cw_cli_option_head(head, sizeof head, o);
        entry(f, head + strspn(head, " "), o->help);
    }
    entry(f, "-h, --help", "show a short form of this page");
    if (def->output)
        fputs(".SH OUTPUT\n", f);
    for (size_t i = 0; def->output && def->output[i]; i += 2)
        entry(f, def->output[i], def->output[i + 1]);
    put_variables(f, def);
    if (def->examples)
        fputs(".SH EXAMPLES\n", f);
    put_examples(f, def->examples, SIZE_MAX / 2);
    see_also(f, table, def);
}
