/* program_exchange.h - hooks above those of a mode that dump programs, and replace them (program_files.h).
 * The mode sees what is injected as the program's own: its models, its caches and its trace are of that
 * text. */
#ifndef CW_PROGRAM_EXCHANGE_H
#define CW_PROGRAM_EXCHANGE_H

#include "../door/dispatch.h"

#include <stdint.h>

/* Puts them into the filled table `hooks` of a mode that starts; does nothing without one of the options. */
void cw_program_exchange_install(struct cw_dispatch *hooks, const struct cw_options *options);

/* While a program with an injected text is made: the hash of its own text, else 0. Of the calling thread. */
uint64_t cw_program_exchange_replaced(void);

#endif
