/* farm_machines.h - `clweave farm` on several machines: --manager, `farm worker` and `farm block`. */
#ifndef CW_FARM_MACHINES_H
#define CW_FARM_MACHINES_H

#include <limits.h>

#include "farm_run.h"
#include "../cli/frame/cli.h"

/* The options of a farm that has workers on other machines; zeroed: it has none. */
struct cw_farm_machines {
    struct cw_farm_outside outside;
    char program[PATH_MAX], folder[PATH_MAX]; /* folder: of answers; "": not there */
    char join[PATH_MAX];
    char *host; /* owned; NULL: no other machines */
};

/* Checks what can be checked before a farm begins. manager: HOST:PORT, PORT, or NULL; `with` and
 * `password` (NULL: none) are borrowed until cw_farm_machines_close(). CW_ERR_NOTFOUND: the program, a
 * file or the address is not there; CW_ERR_INVALID, CW_ERR_IO, CW_ERR_NOMEM. Then nothing is open. */
enum cw_status cw_farm_machines_open(struct cw_farm_machines *m, const char *manager,
                                     const struct cw_cli_list *with, const char *password,
                                     struct cw_error *err);

/* Hands the plan over, and the text that says how workers join; for cw_farm_run.outside. *outside NULL: no
 * other machines. CW_ERR_IO, CW_ERR_NOMEM. */
enum cw_status cw_farm_machines_begin(struct cw_farm_machines *m, const struct cw_farm_plan *p,
                                      uint32_t block, const struct cw_farm_outside **outside,
                                      struct cw_error *err);

void cw_farm_machines_close(struct cw_farm_machines *m);

/* `clweave farm worker ...`, argv[0] is "worker": serves a farm of another machine. Returns an exit
 * status. */
int cw_farm_machines_join(int argc, char **argv);

/* `clweave farm block IN OUT`: runs the tasks of the block IN and puts the answer into OUT (farm_block.h).
 * Returns an exit status. */
int cw_farm_machines_block(const struct cw_farm_jobs *jobs, const char *in, const char *out);

/* The variable that names the file for the reason why this worker can serve no farm. */
#define CW_FARM_MACHINES_NOTE "CLWV_FARM_NOTE"

#endif
