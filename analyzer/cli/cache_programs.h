/* cache_programs.h - the programs that `run` knows, for `clweave cache`. */
#ifndef CW_CACHE_PROGRAMS_H
#define CW_CACHE_PROGRAMS_H

#include <jansson.h>
#include <stdbool.h>

#include "cache_files.h"

/* Prints a table with a line per program: the figures of the arguments that were used last. */
void cw_cache_programs_print(const struct cw_cache_files *c);

/* All kinds of arguments of `program` (NULL: of all programs). The caller's. */
json_t *cw_cache_programs_json(const struct cw_cache_files *c, const char *program);

/* Prints all kinds of arguments of `program`. False: it is not known, which this says. */
bool cw_cache_programs_show(const struct cw_cache_files *c, const char *program, bool json);

/* False: no record is of `program`, which this says, with the nearest name. */
bool cw_cache_programs_known(const struct cw_cache_files *c, const char *program);

#endif
