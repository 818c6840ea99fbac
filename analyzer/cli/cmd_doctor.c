/* cmd_doctor.c - clweave doctor: can run gain on this machine, and what is in the way? */
#include "frame/cli.h"
#include "doctor.h"
#include "../plan/platform_file.h"
#include "../io/quantity.h"
#include "cache_files.h"
#include "../io/folders.h"
#include "../kernels/models/program_models.h"
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The library, the helper tools, and the compilers that they run. */

enum { SECONDS = 20 };

#define TOOLS_SECTION "tools"

/* Runs it; true: status 0. Its first line, without its end, is in `line`. */
static bool runs(const char *const *argv, char *line, size_t size)
{
    struct cw_doctor_answer a;
    bool good = cw_doctor_ask_program(argv, SECONDS, &a) && !a.late && WIFEXITED(a.status) &&
                WEXITSTATUS(a.status) == 0;

    snprintf(line, size, "%.*s", a.text ? (int)strcspn(a.text, "\n") : 0, a.text ? a.text : "");
    free(a.text);
    return good;
}

/* The command that installs the clang of the helper's LLVM. Static: until the next call. */
static const char *install_clang(const char *then)
{
    const char *version = cw_program_models_llvm();
    static char command[160];

    snprintf(command, sizeof command, "sudo apt-get install clang-%s libclang-common-%s-dev%s", version,
             version, then);
    return command;
}

/* One kernel, from source to model: clang, LLVM and the limits of this shell all take part. */
static void try_footprint(struct cw_doctor *d, const char *tool)
{
    static const char source[] = "__kernel void f(__global int *a) { a[get_global_id(0)] = 1; }\n";
    char file[PATH_MAX], line[256];
    int length = snprintf(file, sizeof file, "%s/clweave-doctor-XXXXXX.cl", cw_temporary_folder()),
        fd = length < PATH_MAX ? mkstemps(file, 3) : -1;
    bool written = fd >= 0 && write(fd, source, sizeof source - 1) == (ssize_t)sizeof source - 1;

    if (fd >= 0)
        close(fd);
    if (!written)
        cw_doctor_problem(d, "df \"${TMPDIR:-/tmp}\"", "%s takes no file: compilers need it",
                          cw_temporary_folder());
    else if (!runs((const char *[]){tool, file, NULL}, line, sizeof line))
        cw_doctor_problem(d, install_clang("    # then: clweave kernel FILE.cl"),
                          "%s cannot read a kernel: launches are neither cut nor grouped", tool);
    else
        cw_doctor_fact(d, TOOLS_SECTION, "models", "a kernel was read by clang and LLVM");
    if (fd >= 0)
        unlink(file);
}

static void look_for_footprint(struct cw_doctor *d, const char *library)
{
    const char *given = getenv("CLWEAVE_FOOTPRINT");
    char path[PATH_MAX];

    if (given && *given)
        snprintf(path, sizeof path, "%s", given);
    if (given && *given ? access(path, X_OK) != 0
                        : !cw_helper_tool_beside(library, "clweave-footprint", path)) {
        cw_doctor_problem(
            d, "sudo apt-get install clang llvm-dev && make && sudo make install",
            "clweave-footprint is missing: kernels count as touching all of their buffers, and launches "
            "are neither cut nor grouped");
        return;
    }
    cw_doctor_fact(d, TOOLS_SECTION, "clweave-footprint", "%s", path);
    try_footprint(d, path);
}

static void look_for_clang(struct cw_doctor *d)
{
    const char *given = getenv("CLWEAVE_CLANG");
    char line[200], own[32];
    const char *const candidates[] = {given && *given ? given : own, "clang", NULL};

    snprintf(own, sizeof own, "clang-%s", cw_program_models_llvm());
    for (size_t i = 0; candidates[i] && (i == 0 || !given || !*given); i++)
        if (runs((const char *[]){candidates[i], "--version", NULL}, line, sizeof line)) {
            cw_doctor_fact(d, TOOLS_SECTION, "clang", "%s (%s)", line, candidates[i]);
            return;
        }
    cw_doctor_problem(d, install_clang(""), "no clang: models of kernels cannot be made%s",
                      given && *given ? " (CLWEAVE_CLANG names none that runs)" : "");
}

/* Programs of SPIR-V are rare: to lack it is no problem of the machine. */
static void look_for_llvm_spirv(struct cw_doctor *d)
{
    char line[200], own[32];

    snprintf(own, sizeof own, "llvm-spirv-%s", cw_program_models_llvm());
    if (runs((const char *[]){own, "--version", NULL}, line, sizeof line))
        cw_doctor_fact(d, TOOLS_SECTION, "SPIR-V", "is read through %s", own);
    else
        cw_doctor_fact(d, TOOLS_SECTION, "SPIR-V",
                       "programs made of it are left to the vendor: sudo apt-get install %s", own);
}

static void doctor_tools(struct cw_doctor *d)
{
    char library[PATH_MAX], path[PATH_MAX], line[200];
    struct cw_error err = {0};

    cw_doctor_fact(d, TOOLS_SECTION, "clweave", CW_VERSION);
    if (cw_launch_library(library, &err) != CW_OK) {
        cw_doctor_obstacle(d, "sudo make install    # or export CLWEAVE_LIB=/path/to/libclweave.so", "%s",
                           err.text);
        return;
    }
    cw_doctor_fact(d, TOOLS_SECTION, "library", "%s", library);
    if (cw_helper_tool_beside(library, "clweave-compile", path))
        cw_doctor_fact(d, TOOLS_SECTION, "clweave-compile", "%s", path);
    else
        cw_doctor_problem(
            d, "sudo make install",
            "clweave-compile is missing: PoCL compiles for helpers inside the program, or not at all");
    look_for_footprint(d, library);
    look_for_clang(d);
    look_for_llvm_spirv(d);
    if (d->managed && runs((const char *[]){"ld", "--version", NULL}, line, sizeof line))
        cw_doctor_fact(d, TOOLS_SECTION, "ld", "%s", line);
    else if (d->managed)
        cw_doctor_problem(d, "sudo apt-get install binutils", "no ld in PATH: PoCL cannot link kernels");
}

/* Folders that keep results between runs: clweave's and PoCL's. */

#define CACHES_SECTION "caches"
#define LEAST_FREE     (300ull << 20) /* the largest store has CW_FILE_STORE_BYTES */

static const char *owner_of(const struct stat *st, char text[64])
{
    struct passwd *p = getpwuid(st->st_uid);

    if (p)
        snprintf(text, 64, "%s", p->pw_name);
    else
        snprintf(text, 64, "user %u", (unsigned)st->st_uid);
    return text;
}

/* Facts about a folder, and the problems that it may have. `loses`: what follows from them. */
static void add_folder(struct cw_doctor *d, const char *name, const char *path, const char *loses)
{
    char owner[64], free_text[16];
    struct statvfs disk = {0};
    struct stat st;
    uint64_t left;
    bool writable = access(path, W_OK | X_OK) == 0;
    int error = errno;

    if (stat(path, &st) != 0 || statvfs(path, &disk) != 0) {
        cw_doctor_problem(d, "export XDG_CACHE_HOME=$(mktemp -d)", "%s: %s: %s", path, strerror(errno),
                          loses);
        return;
    }
    left = (uint64_t)disk.f_bavail * disk.f_frsize;
    cw_doctor_fact(d, CACHES_SECTION, name, "%s (of %s, mode %03o, %s, %s free)", path, owner_of(&st, owner),
                   (unsigned)st.st_mode & 07777, writable ? "writable" : "not writable",
                   cw_quantity_bytes(left, free_text));
    if (!writable)
        cw_doctor_problem(d, "export XDG_CACHE_HOME=$(mktemp -d)", "%s cannot be written to (%s): %s", path,
                          strerror(error), loses);
    else if (left < LEAST_FREE)
        cw_doctor_problem(d, "clweave cache clear", "%s has only %s left: %s", path, free_text, loses);
}

/* PoCL's folder of compiled kernels, as PoCL finds it; made by its first build. */
static void add_pocl(struct cw_doctor *d)
{
    const char *given = getenv("POCL_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *loses = "PoCL compiles every kernel anew in every run";
    char path[PATH_MAX];

    if (given && *given)
        snprintf(path, sizeof path, "%s", given);
    else if (xdg && *xdg)
        snprintf(path, sizeof path, "%s/pocl/kcache", xdg);
    else if (home && *home)
        snprintf(path, sizeof path, "%s/.cache/pocl/kcache", home);
    else
        snprintf(path, sizeof path, "/tmp");
    if (access(path, F_OK) == 0)
        add_folder(d, "PoCL", path, loses);
    else
        cw_doctor_fact(d, CACHES_SECTION, "PoCL", "%s (not there yet)", path);
    if (getenv("POCL_KERNEL_CACHE") && strcmp(getenv("POCL_KERNEL_CACHE"), "0") == 0)
        cw_doctor_problem(d, "unset POCL_KERNEL_CACHE", "POCL_KERNEL_CACHE is 0: %s", loses);
}

/* run keeps nothing in a folder to which others may write, or in a store that others may enter. */
static void look_at_mode(struct cw_doctor *d, const char *path, mode_t others, const char *holds)
{
    char mend[PATH_MAX + sizeof "chmod 700 "];
    struct stat st;

    if (stat(path, &st) != 0 || !(st.st_mode & others))
        return;
    snprintf(mend, sizeof mend, "chmod 700 %s", path);
    cw_doctor_problem(d, mend, "%s has mode %03o, so run keeps nothing in it: %s", path,
                      (unsigned)st.st_mode & 07777, holds);
}

static void look_at_modes(struct cw_doctor *d, const struct cw_cache_files *c, const char *loses)
{
    char path[PATH_MAX];

    look_at_mode(d, c->folder, 022, loses);
    for (const struct cw_cache_store *s = cw_cache_stores; s->folder; s++)
        if (cw_cache_files_path(c, s->folder, path))
            look_at_mode(d, path, 077, s->holds);
}

/* Binaries of known programs: those that clweave has not seen built. */
static void add_programs(struct cw_doctor *d)
{
    char path[PATH_MAX];

    for (const struct cw_program_cache *c = cw_program_caches; c->program; c++)
        if (cw_program_cache_find(c, path))
            cw_doctor_fact(
                d, CACHES_SECTION, c->program,
                "%s (binaries of its own: kernels that were built without clweave are not read; delete "
                "it once)",
                path);
}

static void doctor_caches(struct cw_doctor *d)
{
    const char *loses = "run remembers nothing, so it neither learns nor builds for later runs";
    static struct cw_cache_files c; /* large */
    struct cw_error err = {0};

    if (cw_cache_files_find(&c, NULL, &err) == CW_OK) {
        struct cw_cache_requests r = cw_cache_files_requests(&c);

        add_folder(d, "clweave", c.folder, loses);
        look_at_modes(d, &c, loses);
        cw_doctor_fact(d, CACHES_SECTION, "builder", "%s, %u request%s waiting",
                       r.at_work ? "at work" : "idle", r.waiting, r.waiting == 1 ? "" : "s");
    } else if (err.status == CW_ERR_NOTFOUND && getenv("CLWEAVE_HISTORY") && *getenv("CLWEAVE_HISTORY"))
        cw_doctor_problem(d, "unset CLWEAVE_HISTORY", "%s", err.text);
    else
        cw_doctor_problem(d, "export XDG_CACHE_HOME=$(mktemp -d)", "%s: %s", err.text, loses);
    if (d->managed)
        add_pocl(d);
    add_programs(d);
}

/* Variables of the environment that change the work of run. */

#define SECTION "environment"

extern char **environ;

/* Settings that take from run what it gains by. */
static const struct {
    const char *variable, *value, *effect;
} losses[] = {{"CLWEAVE_DEVICES", "none", "commands stay on the program's own devices"},
              {"CLWEAVE_LEARN", "off", "nothing is built for later runs"},
              {"CLWEAVE_FOOTPRINTS", "off", "launches are neither cut nor grouped"},
              {"CLWEAVE_SHARE", "off", "no launch is shared between devices"}};

/* The setting that a mistyped variable may stand for, or NULL. */
static const char *nearest_setting(const char *name, char text[CW_OPTION_VARIABLE_BYTES])
{
    enum { MOST = 128 };
    static char variables[MOST][CW_OPTION_VARIABLE_BYTES];
    const char *names[MOST + 1];
    size_t n = 0;

    for (; cw_option_table[n].name && n < MOST; n++)
        names[n] = cw_options_variable(&cw_option_table[n], variables[n]);
    names[n] = NULL;
    name = cw_cli_nearest(name, names);
    if (name)
        snprintf(text, CW_OPTION_VARIABLE_BYTES, "%s", name);
    return name ? text : NULL;
}

/* One CLWEAVE_ variable. */
static void look_at_setting(struct cw_doctor *d, const char *name, const char *value)
{
    char variable[CW_OPTION_VARIABLE_BYTES], mend[128];
    const struct cw_option_info *info = cw_option_table;
    struct cw_error err = {0};

    snprintf(mend, sizeof mend, "unset %s", name);
    while (info->name && strcmp(cw_options_variable(info, variable), name) != 0)
        info++;
    if (!info->name) {
        const char *nearest = nearest_setting(name, variable);

        cw_doctor_problem(d, mend, "%s is no setting%s%s%s", name, nearest ? "; did you mean " : "",
                          nearest ? nearest : "", nearest ? "?" : "");
        return;
    }
    cw_doctor_fact(d, SECTION, name, "%s", value);
    if (info->commands & CW_CMD_INTERNAL || !*value)
        return;
    if (cw_settings_check(info, value, &err) != CW_OK)
        cw_doctor_obstacle(d, mend, "%s: %s", name, err.text);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (strcmp(losses[i].variable, name) == 0 && strcmp(losses[i].value, value) == 0)
            cw_doctor_problem(d, mend, "%s is %s: %s", name, value, losses[i].effect);
}

/* The files in a list of libraries that are not there; names without a slash are the loader's to find. */
static void look_at_libraries(struct cw_doctor *d, const char *variable, const char *ends)
{
    const char *value = getenv(variable);
    char file[4096], mend[128];

    if (!value || !*value)
        return;
    cw_doctor_fact(d, SECTION, variable, "%s%s", value,
                   strstr(value, "libclweave") ? " (clweave is in every program that starts here)" : "");
    snprintf(mend, sizeof mend, "unset %s", variable);
    for (const char *p = value; *p; p += strcspn(p, ends), p += strspn(p, ends)) {
        snprintf(file, sizeof file, "%.*s", (int)strcspn(p, ends), p);
        if (strchr(file, '/') && access(file, R_OK) != 0)
            cw_doctor_problem(d, mend, "%s names %s, which is not there", variable, file);
    }
}

/* the environment */
static void doctor_settings(struct cw_doctor *d)
{
    const char *devices = getenv("POCL_DEVICES");

    for (char **v = environ; v && *v; v++) {
        const char *equals = strchr(*v, '=');
        char name[CW_OPTION_VARIABLE_BYTES];

        if (!equals || (size_t)(equals - *v) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *v), *v);
        if (strncmp(name, "CLWEAVE_", 8) == 0)
            look_at_setting(d, name, equals + 1);
        else if (strncmp(name, "POCL_", 5) == 0 || strncmp(name, "OCL_ICD_", 8) == 0)
            cw_doctor_fact(d, SECTION, name, "%s", equals + 1);
    }
    if (devices && *devices)
        cw_doctor_problem(d, "unset POCL_DEVICES", "POCL_DEVICES is set: run gets no helper devices");
    look_at_libraries(d, "LD_PRELOAD", " :");
    look_at_libraries(d, "OPENCL_LAYERS", ":");
}

struct doctor_options {
    bool json;
};

static const struct cw_cli_option options[] = {
    {"json", 0, CW_CLI_BOOL, offsetof(struct doctor_options, json), NULL, NULL, "print JSON"},
    CW_CLI_END,
};

static const char *text_of(const json_t *o, const char *name)
{
    return json_string_value(json_object_get(o, name));
}

static void print_facts(const struct cw_doctor *d)
{
    const char *section = "";
    json_t *fact;
    size_t i;

    json_array_foreach(d->facts, i, fact)
    {
        if (strcmp(section, text_of(fact, "section")) != 0)
            printf("%s%s\n", i ? "\n" : "", section = text_of(fact, "section"));
        printf("  %-18s %s\n", text_of(fact, "name"), text_of(fact, "text"));
    }
}

static void print_problems(const struct cw_doctor *d)
{
    json_t *problem;
    size_t i;

    putchar('\n');
    json_array_foreach(d->problems, i, problem)
        printf("problem: %s\n   mend: %s\n", text_of(problem, "problem"), text_of(problem, "mend"));
    if (json_array_size(d->problems))
        putchar('\n');
}

static void verdict(const struct cw_doctor *d, char *text, size_t size)
{
    char asked[100] = "";

    if (d->streamed)
        snprintf(asked, sizeof asked, "%s%u GPU%s with streams and staged transfers",
                 d->managed ? ", and " : "", d->streamed, d->streamed == 1 ? "" : "s");
    if (*d->cannot)
        snprintf(text, size, "clweave run cannot gain here: %s", d->cannot);
    else if (!d->managed)
        snprintf(text, size, "clweave run can gain here: %s", asked);
    else
        snprintf(text, size,
                 "clweave run can gain here: %u device%s of the machine and %u helper%s on %u processor%s%s",
                 d->managed, d->managed == 1 ? "" : "s", d->helpers, d->helpers == 1 ? "" : "s",
                 d->processors, d->processors == 1 ? "" : "s", asked);
}

static int run(const void *values, int argc, char **argv)
{
    const struct doctor_options *o = values;
    struct cw_doctor d = {.facts = json_array(), .problems = json_array()};
    char text[512];

    (void)argc, (void)argv;
    if (!d.facts || !d.problems) {
        cw_cli_complain("doctor: out of memory");
        return CW_EXIT_FAILURE;
    }
    cw_doctor_machine(&d);
    cw_doctor_vendors(&d);
    doctor_tools(&d);
    doctor_caches(&d);
    doctor_settings(&d);
    verdict(&d, text, sizeof text);
    if (o->json) {
        json_t *root =
            json_pack("{s:s, s:i, s:O, s:O, s:b, s:s}", "format", "clweave-doctor", "version", 1, "facts",
                      d.facts, "problems", d.problems, "can_gain", !*d.cannot, "verdict", text);

        json_dumpf(root, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(root);
    } else {
        print_facts(&d);
        print_problems(&d);
        puts(text);
    }
    json_decref(d.facts);
    json_decref(d.problems);
    return *d.cannot ? CW_EXIT_FAILURE : CW_EXIT_OK;
}

const struct cw_command_def cw_cmd_doctor = {
    .name = "doctor",
    .summary = "say whether run can gain on this machine, and how to mend what is in the way",
    .usage = "[--json]",
    .details = "Looks at processors, limits, OpenCL's vendors and devices, the helper tools and their "
               "compilers, the caches, "
               "and the environment. Vendors are asked in a child process: a driver that crashes or hangs is "
               "named. Each "
               "finding in the way of gaining is a line `problem:` with a command to type behind `mend:`. "
               "The last line says "
               "whether run can gain here.\n\n"
               "The exit status is 0, and 1 when run cannot work at all.",
    .options = options,
    .values_size = sizeof(struct doctor_options),
    .run = run,
};
