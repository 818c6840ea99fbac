/* staging_notes.h - facts that the program's later calls ask for: times of events, maps, buffers in use. */
#ifndef CW_RUN_STAGING_NOTES_H
#define CW_RUN_STAGING_NOTES_H

#include "staging.h"

/* QUEUED, SUBMIT and START of `event` are those of `first`, the first command of its transfer, which is over.
 * Nothing happens where the vendor has no times of it. */
void cw_run_staging_notes_times(cl_event event, cl_event first);

/* The buffer that this one, or this image, is a part of, or itself. */
cl_mem cw_run_staging_notes_root(cl_mem memory);
/* The program may have mapped a part of the root; for one in some thousand others it seems so, too. */
bool cw_run_staging_notes_was_mapped(cl_mem root);

/* A transfer under way keeps the buffer, or lets it go. */
void cw_run_staging_notes_hold(cl_mem memory);
void cw_run_staging_notes_let_go(cl_mem memory);

void cw_run_staging_notes_after_fork(void);

#endif
