/* askedcl.h - what libaskedcl.so counts (askedcl.c), and how a test holds its waits. */
#ifndef ASKEDCL_H
#define ASKEDCL_H

#include <stdatomic.h>

/* Questions for times and states of events, and releases of events: of threads that enqueue or wait, and of
 * others, while `waits` is set, and else. */
struct askedcl {
    atomic_int program, waiting, beside;
    atomic_int events; /* that live: commands' alone */
    atomic_int most;   /* of them at once */
    atomic_int waits;  /* set by the program before it waits; 0 from its next enqueue on */
    atomic_int
        hold; /* a call that waits returns when this is 0, and others than the program have asked as often */
};

#endif
