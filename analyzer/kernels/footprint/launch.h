/* launch.h - launch descriptions in JSON (the file of --eval). */
#ifndef CW_FOOTPRINT_LAUNCH_H
#define CW_FOOTPRINT_LAUNCH_H

#include "../../../sched/status.h"
#include "eval.h"

#include <jansson.h>

/* A launch and the memory behind its arguments. */
struct cw_launch_file {
    struct cw_launch launch;
    unsigned char *bytes; /* of scalar arguments */
};

/* Reads {"global":[..],"local":[..],"offset":[..],"args":[..]} for the kernel of `m`. An argument is
 * {"buffer": bytes} (also "allocation": which memory it lies in, a number from 1 on, and "base": where in
 * it),
 * {"scalar": integer or real}, {"bytes": "hexadecimal, memory order"}, {"local": bytes} or null (nothing
 * known). CW_ERR_FORMAT with a message that names the member; CW_ERR_NOMEM. */
enum cw_status cw_launch_read(struct cw_launch_file *l, const json_t *j, const struct cw_model *m,
                              struct cw_error *err);
void cw_launch_finish(struct cw_launch_file *l);

/* Reads {"first":[..],"count":[..]}; it must lie inside the launch. */
enum cw_status cw_launch_read_tile(struct cw_tile *t, const json_t *j, const struct cw_launch *l,
                                   struct cw_error *err);

#endif
