/* main.c - the command-line tool clweave. */
#include "cli.h"

int main(int argc, char **argv)
{
    cw_cli_signals_own();
    return cw_cli_main(cw_commands, argc, argv);
}
