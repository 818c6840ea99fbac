/* source.h - what a program's source says of its kernels. */
#ifndef CW_SOURCE_H
#define CW_SOURCE_H

#include "../run/core/types.h"

void cw_source_parse(struct cw_run_program *p);

/* Launches of the kernel have, or may have, effects that no argument shows. Lock held. */
bool cw_source_forbids(const struct cw_run_kernel *k);
bool cw_source_is_manageable(const char *source, const char *options); /* any thread */
/* Another build of the same text may be another program: it says when it was built. Any thread. */
bool cw_source_is_dated(const char *source, const char *options);

/* The text that the vendor has built of, trusted or not; NULL: not known. */
static inline const char *cw_run_program_text(const struct cw_run_program *p)
{
    return p->source ? p->source : p->linked;
}

#endif
