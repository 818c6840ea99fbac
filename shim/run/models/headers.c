/* headers.c - programs whose sources include files: the headers as the vendor reads them.
 *
 * Helper programs are built later, when the files, the working directory or the environment may be others. So
 * they are built of the source with its headers in it, read before the vendor's build and again after it; if
 * anything differs, or is not certain, the program stays as it was given: then it has an #include, and is not
 * managed (api/program.c). */
#include "headers.h"
#include "program_models.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/source/header_files.h"
#include "../core/global_lock.h"
#include "../core/record.h"

/* A copy of the source as the program gave it; NULL: there is none. */
static char *given_source(cl_program program)
{
    const struct cw_run_program *p;
    const char *source;
    char *copy = NULL;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    source = p ? p->given ? p->given : p->source : NULL;
    copy = source ? strdup(source) : NULL;
    cw_run_global_lock_give();
    return copy;
}

char *cw_headers_join(cl_program program, const char *options)
{
    char *source = given_source(program);
    bool needed = source && cw_joined_source_is_needed(source, options);
    char *joined = needed ? cw_joined_source(source, options, NULL) : NULL;

    free(source);
    return joined;
}

void cw_headers_take(struct cw_run_program *p, char *before, char *after)
{
    char *given = p->given ? p->given : p->source;
    bool same = before && after && !strcmp(before, after);

    free(after);
    if (p->given)
        free(p->source);
    if (before && !same) {
        cw_run_program_models_forget(p); /* of a text that may differ from the built one */
        free(before);
    }
    p->source = same ? before : given;
    p->given = same ? given : NULL;
}
