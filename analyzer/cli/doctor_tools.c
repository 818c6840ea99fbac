/* doctor_tools.c - the library, the helper tools, and the compilers that they run. */
#include "doctor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../io/folders.h"
#include "../kernels/models/program_models.h"
#include "frame/cli.h"
#include "launch.h"

enum { SECONDS = 20 };

#define SECTION "tools"

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
        cw_doctor_fact(d, SECTION, "models", "a kernel was read by clang and LLVM");
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
    cw_doctor_fact(d, SECTION, "clweave-footprint", "%s", path);
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
            cw_doctor_fact(d, SECTION, "clang", "%s (%s)", line, candidates[i]);
            return;
        }
    cw_doctor_problem(d, install_clang(""), "no clang: models of kernels cannot be made%s",
                      given && *given ? " (CLWEAVE_CLANG names none that runs)" : "");
}

void cw_doctor_tools(struct cw_doctor *d)
{
    char library[PATH_MAX], path[PATH_MAX], line[200];
    struct cw_error err = {0};

    cw_doctor_fact(d, SECTION, "clweave", CW_VERSION);
    if (cw_launch_library(library, &err) != CW_OK) {
        cw_doctor_obstacle(d, "sudo make install    # or export CLWEAVE_LIB=/path/to/libclweave.so", "%s",
                           err.text);
        return;
    }
    cw_doctor_fact(d, SECTION, "library", "%s", library);
    if (cw_helper_tool_beside(library, "clweave-compile", path))
        cw_doctor_fact(d, SECTION, "clweave-compile", "%s", path);
    else
        cw_doctor_problem(
            d, "sudo make install",
            "clweave-compile is missing: PoCL compiles for helpers inside the program, or not at all");
    look_for_footprint(d, library);
    look_for_clang(d);
    if (d->managed && runs((const char *[]){"ld", "--version", NULL}, line, sizeof line))
        cw_doctor_fact(d, SECTION, "ld", "%s", line);
    else if (d->managed)
        cw_doctor_problem(d, "sudo apt-get install binutils", "no ld in PATH: PoCL cannot link kernels");
}
