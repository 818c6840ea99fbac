/* farm_serve.h - a master's answers to its children: it takes their results, gives them tasks, and
 * welcomes those with a new link. Part of farm_master.h. */
#ifndef CW_FARM_SERVE_H
#define CW_FARM_SERVE_H

#include "farm_master.h"

/* Takes the messages of child k. False: it has closed its end, or sends what makes no sense. */
bool cw_farm_serve_listen(struct cw_farm_master *m, uint32_t k);

/* The link to child k is gone. */
void cw_farm_serve_close(struct cw_farm_master *m, uint32_t k);

/* Gives the tasks that wait to the children that are parked. */
void cw_farm_serve_parked(struct cw_farm_master *m);

/* Adds a result to the batch when it is to be taken; r: NULL allowed when it is not. */
void cw_farm_serve_take(struct cw_farm_master *m, enum cw_dispatch_report report,
                        const struct cw_farm_result *r);

/* Notes a failure; errno is the reason. The first one counts. */
void cw_farm_serve_fail(struct cw_farm_master *m, enum cw_status status, const char *text);

#endif
