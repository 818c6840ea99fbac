/* farm_children.h - the processes of a master's children: they begin, end, are stopped, and have
 * successors. Part of farm_master.h. */
#ifndef CW_FARM_CHILDREN_H
#define CW_FARM_CHILDREN_H

#include "farm_master.h"

/* The children of a dead master: those that live are this one's; the tasks of its dead workers are queued. */
void cw_farm_children_inherit(struct cw_farm_master *m);

/* Starts processes for the children that have none, as far as there are tasks for them. A dead regional
 * master's own children have a second to take over. */
void cw_farm_children_replace(struct cw_farm_master *m);

/* Takes the changes of all children's states. */
void cw_farm_children_reap(struct cw_farm_master *m);

/* Takes the links that children, or their successors, ask for. */
void cw_farm_children_accept(struct cw_farm_master *m);

/* The number of children that have a process. */
uint32_t cw_farm_children_alive(const struct cw_farm_master *m);

/* In a process that a fork of this one has made: closes all descriptors of the master, and restores the
 * signals that it found. */
void cw_farm_children_forget(void *master);

#endif
