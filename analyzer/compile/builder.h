/* builder.h - the detached builder: makes the results that programs have asked for (requests.h), while they
 * run or after they have ended.
 *
 * One in a folder of requests at a time, which holds a lock on its file `lock`. It has no descriptor, no
 * terminal, no session and no parent in common with the program that has started it. It yields every
 * processor, disk and page of memory to others. Each request is worked on in a process of its own, with
 * limits, which ends with the builder. `log` says what was made; SIGTERM ends it at any time. */
#ifndef CW_BUILDER_H
#define CW_BUILDER_H

#include <stdbool.h>

#define CW_BUILDER_WORD  "--requests" /* clweave-compile --requests FOLDER [--wait] */
#define CW_BUILDER_WAIT  "--wait"
#define CW_BUILDER_CHILD "--request" /* clweave-compile --request FOLDER NAME: the process for one of them */

/* The folder that holds `requests` and the stores. Returns the exit status: 0, too, where another builder is
 * at work or nothing is asked for; 1: the folder cannot be used, or this process is limited.
 *
 * wait: returns when all is made that can be; works in this process's session, and at its priority. Else
 * returns at once in the calling process; a child of it goes on. Closes all descriptors from 3 on. */
int cw_builder_run(const char *folder, bool wait);

/* Makes the result of that request; an exit status, enum cw_fulfilled. */
int cw_builder_one(const char *folder, const char *name);

#endif
