/* main.c - the command-line tool clweave. */
#include "launch.h"
#include "../io/quiet_child.h"
#include "../io/array.h"
#include "../kernels/source/vendor_compiler.h"
#include "../kernels/source/vendor_macros.h"
#include "frame/cli.h"

#include <stdio.h>
#include <string.h>

/* The table of the tool's commands: adding one is one file cmd_<name>.c and one line here. */

extern const struct cw_command_def cw_cmd_trace, cw_cmd_run, cw_cmd_graph, cw_cmd_report, cw_cmd_timeline,
    cw_cmd_diff, cw_cmd_devices, cw_cmd_replay, cw_cmd_compare, cw_cmd_simulate, cw_cmd_dispatch, cw_cmd_farm,
    cw_cmd_kernel, cw_cmd_generate, cw_cmd_cache, cw_cmd_doctor, cw_cmd_learn, cw_cmd_help, cw_cmd_version,
    cw_cmd_top;

const struct cw_command_def *const cw_commands[] = {
    &cw_cmd_trace, &cw_cmd_run,      &cw_cmd_learn,  &cw_cmd_graph,   &cw_cmd_report,   &cw_cmd_timeline,
    &cw_cmd_top,   &cw_cmd_diff,     &cw_cmd_replay, &cw_cmd_compare, &cw_cmd_simulate, &cw_cmd_generate,
    &cw_cmd_farm,  &cw_cmd_dispatch, &cw_cmd_kernel, &cw_cmd_devices, &cw_cmd_cache,    &cw_cmd_doctor,
    &cw_cmd_help,  &cw_cmd_version,  NULL,
};

enum { WORDS_BYTES = 1 << 20, MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

static cl_device_id find_device(const struct cw_vendor_calls *calls, const char *identity)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_device_id devices[MOST_DEVICES];
    char text[1400];
    cl_uint n = 0, m;

    if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &n) != CL_SUCCESS)
        return NULL;
    for (cl_uint p = 0; p < n && p < MOST_PLATFORMS; p++) {
        m = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &m) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < m && d < MOST_DEVICES; d++)
            if (cw_vendor_describe(calls, devices[d], text, sizeof text) && !strcmp(text, identity))
                return devices[d];
    }
    return NULL;
}

/* Reads the question from the file that quiet_child.h hands over, writes the answer to standard output.
 * Returns the exit status; 1: no answer. */
static int vendor_child(void)
{
    static const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    static char words[WORDS_BYTES];
    struct cw_macro_value values[CW_TESTED_NAMES_MAX] = {{0}};
    struct cw_macro_asked asked;
    FILE *f = fopen(CW_QUIET_CHILD_FILE, "r");
    size_t bytes = f ? fread(words, 1, sizeof words, f) : 0;
    cl_device_id device;

    if (f)
        fclose(f);
    if (bytes == sizeof words || !cw_macro_words_read(words, bytes, &asked) ||
        !(device = find_device(&calls, asked.identity)) ||
        !cw_vendor_macros(&calls, device, asked.options, asked.names, asked.n, values))
        return 1;
    fputs(CW_MACRO_ANSWER, stdout);
    fwrite(values, sizeof *values, asked.n, stdout);
    return fflush(stdout) || ferror(stdout);
}

/* Arrays of this size spill, and so much of them stays in memory. */
enum { SPILL_BYTES = 48 << 20, RESIDENT_BYTES = 128 << 20 };

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], CW_MACRO_CHILD_WORD))
        return vendor_child();
    cw_spill_begin(SPILL_BYTES, RESIDENT_BYTES);
    cw_cli_signals_own();
    cw_cli_streams_own();
    return cw_cli_main(cw_commands, argc, argv);
}
