/* stream_start.h - the beginning and the end of streams in a process. */
#ifndef CW_STREAM_START_H
#define CW_STREAM_START_H

#include "stream_settings.h"

struct cw_dispatch;

/* Puts the hooks over those of *table, unless the options say `off`. */
void cw_stream_start(const struct cw_options *options, struct cw_dispatch *table);

/* A context of the program was made. True: it is streamed, and run mode leaves its commands alone. */
bool cw_stream_start_context(cl_context context, const struct cw_context_devices *devices);

/* The vendor may get commands that no hook sees: every queue is one stream from now on. */
void cw_stream_start_unseen(void);
void cw_stream_start_after_fork(void);

/* Writes the lines of the summary as snprintf does; 0: there are none. */
int cw_stream_start_describe(char *text, unsigned size);
/* The same for the line at the end, of a run that has managed nothing; 0: streams have nothing to say. */
int cw_stream_start_verdict(char *text, unsigned size);

#endif
