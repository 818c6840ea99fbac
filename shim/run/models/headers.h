/* headers.h - programs whose sources include files: the headers as the vendor reads them. */
#ifndef CW_RUN_HEADERS_H
#define CW_RUN_HEADERS_H

#include "../core/types.h"

/* The source as the program gave it with its headers in it, when it has some and there is no doubt about
 * them; else NULL. The caller's to free. Lock not held; reads files. */
char *cw_headers_join(cl_program program, const char *options);
/* The program has been built; `before` and `after` are cw_headers_join's answers before and after that, and
 * are taken over. From here on p->source is that text or, when they differ, the program's own. Lock held; all
 * readers of p->source hold it. */
void cw_headers_take(struct cw_run_program *p, char *before, char *after);

#endif
