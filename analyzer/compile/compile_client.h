/* compile_client.h - has the vendor compile a kernel for a launch in a process of its own, into the cache
 * that the vendor keeps on disk, from where it is only loaded when the host launches it.
 *
 * PoCL compiles a kernel when it is first launched with a local size, and runs a linker for that. In the host
 * that would be seen: a host that closes all descriptors, waits for children, ignores their end, changes its
 * PATH or sets limits meanwhile would be ended by PoCL. The compiler is clweave-compile, found beside the
 * library and run so that the host does not notice (io/quiet_child.h). It stays for as long as it is asked
 * something every few seconds. */
#ifndef CW_COMPILE_CLIENT_H
#define CW_COMPILE_CLIENT_H

#include "compile_area.h"

enum cw_compile_answer {
    CW_COMPILE_GOOD,    /* the code is in the vendor's cache */
    CW_COMPILE_BAD,     /* it cannot be compiled, or the compiler died or took longer than a minute */
    CW_COMPILE_UNASKED, /* there is no compiler in this process: no tool, no memory, under valgrind, no cache
                           of the vendor's */
};

/* Finds the compiler and notes the environment; once, before the others. */
void cw_compile_client_init(void);

/* Whether there may be a compiler. It is not started by that. Any thread. */
bool cw_compile_client_is_there(void);

/* Waits for its turn and for the answer; of a good one `module` is the file that the code is in, "" where
 * that is not known. Any thread. errno is preserved. */
enum cw_compile_answer cw_compile_client_ask(const struct cw_compile_question *q,
                                             char module[CW_COMPILE_MODULE]);

/* The process ends: kills the compiler; the current question is BAD soon, and so are all later ones. Joins
 * the compiler's thread if `join`, for a second at most. */
void cw_compile_client_stop(bool join);

/* Whether there is a compiler, or was one until that was called. */
bool cw_compile_client_was_there(void);

/* Whether there is a tool that could not be started, three times: a vendor that compiles here may not start
 * its linker either. */
bool cw_compile_client_has_failed(void);

/* Whether cw_compile_client_stop was called. */
bool cw_compile_client_has_stopped(void);

/* In a forked child: there is no compiler. */
void cw_compile_client_after_fork(void);

#endif
