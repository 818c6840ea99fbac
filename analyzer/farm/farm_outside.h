/* farm_outside.h - the child of a farm's master that hands tasks to other machines: the program
 * clweave-farm-queue, which alone is linked with Work Queue's library. It talks with the master as a worker
 * does (farm_link.h), and asks for tasks for all processes below it.
 *
 * Thread-safety: none; the master's thread. */
#ifndef CW_FARM_OUTSIDE_H
#define CW_FARM_OUTSIDE_H

#include "farm_plan.h"
#include "../../sched/dispatch_queue.h"
#include "farm_checkpoint.h"

#define CW_FARM_OUTSIDE_PROGRAM "clweave-farm-queue"

/* The words of the program's command line. */
enum cw_farm_outside_word {
    CW_FARM_OUTSIDE_SELF,
    CW_FARM_OUTSIDE_LINK,     /* the descriptor of its end of the link */
    CW_FARM_OUTSIDE_PLAN,     /* that of a file with the packed plan */
    CW_FARM_OUTSIDE_EPOCH,    /* of this child */
    CW_FARM_OUTSIDE_PORT,     /* on which it listens */
    CW_FARM_OUTSIDE_BLOCK,    /* tasks of a block; 0: by the time that they take */
    CW_FARM_OUTSIDE_VERSION,  /* clweave's */
    CW_FARM_OUTSIDE_FOLDER,   /* for answers; the caller empties it */
    CW_FARM_OUTSIDE_JOIN,     /* what the user is told when it listens */
    CW_FARM_OUTSIDE_PASSWORD, /* a file with the password that workers must know; "": none */
    CW_FARM_OUTSIDE_WITH      /* from here on: files and folders that each task needs */
};

struct cw_farm_outside {
    const char *program;  /* its path; borrowed */
    const char *version;  /* clweave's; borrowed */
    const char *folder;   /* borrowed */
    const char *join;     /* borrowed */
    const char *password; /* NULL: none; borrowed */
    const char *const *with;
    uint32_t withs;
    uint32_t port;
    uint32_t block;
    int plan; /* a file in memory with the packed plan; owned */
};

/* Splits "HOST:PORT" or "PORT" and sees whether this machine can listen there. 0 as the port becomes a free
 * one. *host: HOST, or this machine's name; malloc'ed for the caller. CW_ERR_INVALID: it is no such word;
 * CW_ERR_NOTFOUND: HOST is no address of this machine; CW_ERR_IO: the port is taken, or not allowed;
 * CW_ERR_NOMEM. Then *host is NULL. */
enum cw_status cw_farm_outside_address(const char *word, char **host, uint32_t *port, struct cw_error *err);

/* Packs the plan into o->plan, -1 before. CW_ERR_IO, CW_ERR_NOMEM. */
enum cw_status cw_farm_outside_prepare(struct cw_farm_outside *o, const struct cw_farm_plan *p,
                                       struct cw_error *err);
void cw_farm_outside_finish(struct cw_farm_outside *o);

/* Becomes the program, in the child of the master; link: its end. Never returns. */
_Noreturn void cw_farm_outside_exec(const struct cw_farm_outside *o, int link, uint32_t epoch);

/* ---- a block of tasks on its way to another machine, and its results on the way back.
 *
 * A block is a plan of its own, with one list and a try for each task, behind a head with clweave's
 * version and a CRC-32. `clweave farm block` runs it there; its checkpoint is the answer. Task t of the
 * block is task first + t of the farm. Thread-safety: const calls may run side by side. */

/* The block of the tasks `range` as bytes, malloc'ed for the caller; NULL: out of memory. version: at most 23
 * bytes. */
void *cw_farm_block_pack(const struct cw_farm_plan *p, struct cw_dispatch_range range, const char *version,
                         size_t *bytes);

/* Reads a block into *p, which the caller finishes in any case. CW_ERR_VERSION: it is of a farm of another
 * version, which the text names; CW_ERR_FORMAT: it is damaged, or no block; CW_ERR_NOMEM. */
enum cw_status cw_farm_block_unpack(struct cw_farm_plan *p, const void *data, size_t bytes,
                                    const char *version, struct cw_error *err);

/* Appends the results of the answer `path` to `results`, with the farm's numbers, and the time that the tasks
 * took to *ns. CW_ERR_FORMAT: the answer is damaged, or of other tasks than `range`; CW_ERR_IO, CW_ERR_NOMEM.
 * Then nothing is appended. */
enum cw_status cw_farm_block_results(const char *path, struct cw_dispatch_range range,
                                     struct cw_farm_bytes *results, uint64_t *ns, struct cw_error *err);

#endif
