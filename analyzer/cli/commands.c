/* commands.c - the table of the tool's commands: adding one is one file cmd_<name>.c and one line here. */
#include "frame/cli.h"

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
