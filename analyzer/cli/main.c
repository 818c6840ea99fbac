/* main.c - the command-line tool clweave. */
#include <string.h>

#include "../source/macro_child.h"
#include "cli.h"
#include "vendor_child.h"

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], CW_MACRO_CHILD_WORD))
        return cw_vendor_child();
    cw_cli_signals_own();
    cw_cli_streams_own();
    return cw_cli_main(cw_commands, argc, argv);
}
