/* run_copy.c - private copies of the program's programs on helpers: from a binary of an earlier run, or built.
 *
 * They are built with a definition that the program's own do not have, so that the vendor takes their kernels for others:
 * launches of one kernel may abort PoCL when they meet (run_flight.c). */
#include "../hooks/run_hooks.h"
#include "../lanes/run_build.h"
#include "run_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART "-w -DCW_RUN_HELPER=1 " /* -w: PoCL says on stderr how many warnings there were */

/* The caller's to free; NULL: memory is out. */
static char *options_of(const struct cw_run_program *p)
{
    const char *theirs = p->options ? p->options : "";
    size_t bytes = sizeof APART + strlen(theirs);
    char *options = malloc(bytes);

    if (options)
        snprintf(options, bytes, "%s%s", APART, theirs);
    return options;
}

bool cw_run_copy_load(struct cw_run_program *p, struct cw_run_place *place)
{
    cl_program *copy = &p->copies[place->lane->number];

    if (!*copy && p->source && cw_run_place_queue(p->context, place) && cw_run_build_begins()) {
        char *options = options_of(p);

        if (options)
            *copy = cw_run_private_load(p->context, place, &(struct cw_run_recipe){p->source, options});
        free(options);
        cw_run_build_ends();
    }
    return *copy;
}

static bool has_failed(const struct cw_run_program *p, uint32_t lane)
{
    bool failed;

    cw_run_lock();
    failed = p->copy[lane] == CW_RUN_COPY_FAILED;
    cw_run_unlock();
    return failed;
}

static void note_failure(struct cw_run_program *p, uint32_t lane)
{
    cw_run_lock();
    p->copy[lane] = CW_RUN_COPY_FAILED;
    cw_run_unlock();
}

cl_program cw_run_program_copy(struct cw_run_program *p, struct cw_run_place *place)
{
    cl_program *copy = &p->copies[place->lane->number];
    char *options;

    if (*copy || has_failed(p, place->lane->number) || cw_run_copy_load(p, place) ||
        !cw_run_place_queue(p->context, place) || !cw_run_build_begins())
        return *copy;
    options = options_of(p);
    if (options) {
        const struct cw_run_recipe recipe = {p->source, options};

        *copy = cw_run_private_build(p->context, place, &recipe);
        if (*copy)
            cw_run_private_keep(place, &recipe, *copy);
    }
    if (!*copy)
        note_failure(p, place->lane->number);
    free(options);
    cw_run_build_ends();
    return *copy;
}

cl_int cw_run_copy_ahead(const struct cw_run_launch *l, const struct cw_run_place *place, const struct cw_run_range *r)
{
    struct cw_run_program *p = l->kernel->program;
    char *options = options_of(p);
    cl_int err = options ? cw_run_ahead(place, &(struct cw_run_recipe){p->source, options}, l->kernel->name, r, l, NULL, 0)
                         : CL_OUT_OF_RESOURCES;

    free(options);
    return err;
}
