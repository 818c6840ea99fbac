/* requests.h - requests that programs leave for the builder: results that later runs are to find.
 *
 * A folder `requests` beside the stores of the results holds a file for each (io/file_store.h): all that the
 * result depends on, and how often the builder has failed to make it. Where a folder holds more than
 * CW_REQUESTS_FILES or CW_REQUESTS_BYTES the oldest go. Any process of the user may write at any time; only
 * the builder takes. Quiet; errno is preserved. */
#ifndef CW_REQUESTS_H
#define CW_REQUESTS_H

#include <stdbool.h>

#include "../io/file_store.h"
#include "compile_area.h"

#define CW_REQUESTS_FILES 256
#define CW_REQUESTS_BYTES (32ll << 20)
#define CW_REQUESTS_TRIES 3 /* that fail; then a request stays, and is not taken again ... */
/* ... until a program leaves it anew so long after the last failure, whose cause may be gone (a full disk, an
 * end for want of memory): it is taken once more */
#define CW_REQUESTS_REST_S 86400

#define CW_REQUESTS_TRIED 64 /* in vain by one builder, which takes no more then */

enum cw_request_kind {
    CW_REQUEST_PROGRAM,  /* a helper's or a rewritten program: its binary, in the store `kernels` */
    CW_REQUEST_STAND_IN, /* the program's own (compile/requests.h), in `builds` */
    CW_REQUEST_MODELS,   /* of its kernels (models/program_models.h), in `footprints` */
    CW_REQUEST_LAUNCH,   /* the vendor's code for launches of a kind: the name of its file, in `compiled` */
    CW_REQUEST_KINDS
};

struct cw_request {
    enum cw_request_kind kind;
    /* The identity of the result in its store; of models, which name their entries themselves: of their
     * question. */
    struct cw_identity result;
    const char *device; /* as cw_vendor_describe_driver() says it; of models: struct cw_models_vendor's */
    uint32_t units;     /* compute units of a part of it; 0: the whole device */
    const char *source, *options; /* options NULL: the program gives none */
    uint64_t took_ns, builds;     /* of a stand-in */
    const char *kernel;           /* of a launch, as are its range and arguments; NULL: none */
    struct cw_compile_range range;
    uint32_t args;
    const struct cw_compile_arg *arg;
    const char *program;            /* name of the file that runs; for people */
    const char *const *environment; /* of the program, as cw_requests_environment(); NULL-ended */
    uint32_t failed;                /* times, ... */
    uint64_t failed_s;              /* ... the last one in this second (time(2)) */
};

struct cw_requests {
    struct cw_file_store store;
    char folder[PATH_MAX]; /* that holds the store's own and those of the results; "": there is none */
    bool of_all;           /* cw_requests_count() counts requests for other environments, too */
    char tried[CW_REQUESTS_TRIED][CW_FILE_STORE_NAME_BYTES]; /* in vain, by this process */
    size_t num_tried;
};

/* `folder`: of all stores. It must be there. */
void cw_requests_init(struct cw_requests *r, const char *folder);

/* Those of the variables NAME=value of `from` on which a result depends; a copy, NULL-ended,
 * the caller's to free as one block. NULL: memory is out. */
const char **cw_requests_environment(char *const *from);

/* Whether `environment` has those variables as the request's program had them. A builder takes no other: what
 * a file says selects no program and no library. */
bool cw_requests_is_for(const struct cw_request *q, char *const *environment);

/* True: the request is there now, and may be taken. One that may be taken already stays as it is. */
bool cw_requests_write(struct cw_requests *r, const struct cw_request *q);

/* Whether files can be made in the folder. */
bool cw_requests_can_be_written(const struct cw_requests *r);

/* The oldest request for this process's environment that has not failed too often, nor in this process: its
 * file's name. False: there is none. */
bool cw_requests_next(const struct cw_requests *r, char name[CW_FILE_STORE_NAME_BYTES]);

/* That request; the caller's to finish where true. False: it is damaged, or gone. */
bool cw_requests_read(const struct cw_requests *r, const char *name, struct cw_request *q);
void cw_requests_finish(struct cw_request *q);

/* It is done, and goes; it has failed once more. */
void cw_requests_done(struct cw_requests *r, const char *name);
void cw_requests_failed(struct cw_requests *r, const char *name);

/* How many wait, likewise. */
size_t cw_requests_count(const struct cw_requests *r);

/* The store that holds results of that kind. */
void cw_requests_results(const struct cw_requests *r, enum cw_request_kind kind, struct cw_file_store *store);

/* What is kept of a build that a program makes in every run (shim/run/code/build_cache.h): how
 * often the vendor has made it, in what time, and the binary of a stand-in that answers in its place. */

#define CW_STAND_IN_NEVER UINT64_MAX /* builds, where no stand-in gives the program's answers */

struct cw_stand_in {
    uint64_t took_ns; /* the quickest of its builds by the vendor */
    uint64_t builds;
    uint64_t bytes; /* of the binary that follows; 0: none */
};

/* The one stored for `id`, malloc'ed for the caller; NULL: none. */
struct cw_stand_in *cw_stand_in_read(const struct cw_file_store *s, const struct cw_identity *id);

/* Its binary, or NULL. */
const unsigned char *cw_stand_in_binary(const struct cw_stand_in *a);

/* Stores `head` with head->bytes of `binary`. */
void cw_stand_in_write(struct cw_file_store *s, const struct cw_identity *id, const struct cw_stand_in *head,
                       const void *binary);

/* The detached builder: makes the results that programs have asked for, while they
 * run or after they have ended.
 *
 * One in a folder of requests at a time, which holds a lock on its file `lock`. It has no descriptor, no
 * terminal, no session and no parent in common with the program that has started it. It yields every
 * processor, disk and page of memory to others. Each request is worked on in a process of its own, with
 * limits, which ends with the builder. `log` says what was made; SIGTERM ends it at any time. */

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
