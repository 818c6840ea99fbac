/* main.c - the command-line tool clweave. */
#include <string.h>

#include "../io/spill.h"
#include "../kernels/source/vendor_macros.h"
#include "frame/cli.h"
#include "launch.h"

/* Arrays of this size spill, and so much of them stays in memory. */
enum { SPILL_BYTES = 48 << 20, RESIDENT_BYTES = 128 << 20 };

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], CW_MACRO_CHILD_WORD))
        return cw_vendor_child();
    cw_spill_begin(SPILL_BYTES, RESIDENT_BYTES);
    cw_cli_signals_own();
    cw_cli_streams_own();
    return cw_cli_main(cw_commands, argc, argv);
}
