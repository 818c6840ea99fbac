/* log_guard.h - stores into the mapped log, which another process may cut short at any time.
 *
 * A store behind the end of a mapped file, or on a disk that fails, raises SIGBUS, whose default ends the
 * program. Two kinds of store survive that; cw_log_guard_choose() says which one the calling thread needs:
 *
 * - CW_LOG_GUARD_HANDLER, where the program has left SIGBUS at its default, or LLVM in the vendor's library
 *   has a handler for it, and the thread does not block it: a plain store. A handler puts anonymous memory in
 *   place of the thread's guarded range, and the store goes on there. For every other SIGBUS the handler puts
 *   the earlier disposition back and lets the instruction, or the signal, come again, as it does bare.
 * - CW_LOG_GUARD_KERNEL, elsewhere: process_vm_readv from this process to itself. The kernel makes the
 *   store, and answers EFAULT where there is no file. The program's own disposition of SIGBUS is never
 *   touched, and a blocked SIGBUS, with which the kernel ends a process in spite of its handler,
 *   does not arise.
 * - CW_LOG_GUARD_NONE, where the second cannot be had: the process is under a seccomp filter, which may end
 *   it for an unusual system call, or the kernel refuses. A log that is cut short ends such a program.
 *
 * The choice holds while the program leaves its signals alone: the writer chooses again for each chunk, and
 * when CW_LOG_GUARD_NS have passed.
 *
 * Cost of one record of 64 bytes on a virtual machine where an empty system call takes .35 us: the plain
 * store 5 ns; pwrite on a descriptor kept open 1.0 to 1.4 us (and programs close descriptors that they do
 * not know); process_vm_readv 1.5 to 1.9 us; open, pwrite, close 4 us. Memory without a name (a sealed
 * memfd, System V shared memory) cannot be cut short and costs nothing either, but its contents must reach
 * the file after the program's death: that takes a second process, which dies with the container or control
 * group, or segments that outlive every killed program and of which a system has 4,096. */
#ifndef CW_LOG_GUARD_H
#define CW_LOG_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#define CW_LOG_GUARD_NS 10000000

enum cw_log_guard { CW_LOG_GUARD_NONE, CW_LOG_GUARD_HANDLER, CW_LOG_GUARD_KERNEL };

/* Begins for one log, forgets an earlier one's fate (a forked child's parent's). `cut` is called in the
 * signal handler when a store has hit nothing: async-signal-safe. Not thread-safe. */
void cw_log_guard_start(void (*cut)(void));

/* How the calling thread may store now. Puts the handler in place where the program has none. Changes errno.
 */
enum cw_log_guard cw_log_guard_choose(void);

/* The calling thread's guarded range [begin, begin + bytes), pages of the log; NULL: none. It must be taken
 * back before the range is unmapped. */
void cw_log_guard_range(void *begin, size_t bytes);

/* The kernel's store: the parts of `from`, one after the other, to those of `to`. False when not all of it
 * could be stored. Changes errno. */
bool cw_log_guard_copy(const struct iovec *to, unsigned to_count, const struct iovec *from,
                       unsigned from_count);

/* One store of either kind, for rare stores; [page, page + bytes) are the pages of the log around
 * it. False when it could not be made. The thread's guarded range stays unchanged. Changes errno. */
bool cw_log_guard_store(void *page, size_t bytes, void *to, const void *from, size_t n);

/* True when a store since cw_log_guard_start has hit nothing. Thread-safe. */
bool cw_log_guard_is_cut(void);

#endif
