/* helper_program.c - private copies of the program's programs on helpers: from a binary of an earlier run, or
 * built.
 *
 * They are built with a definition that the program's own do not have, so that the vendor takes their kernels
 * for others: launches of one kernel may abort PoCL when they meet (workers/exclusion.c). */
#include "../../builds/isolated_compiler.h"
#include "../core/context_device.h"
#include "code.h"
#include "../core/global_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELPER_OPTIONS "-w -DCW_RUN_HELPER=1 " /* -w: PoCL says on stderr how many warnings there were */

/* The caller's to free; NULL: memory is out. */
static char *options_of(const char *theirs)
{
    size_t bytes = sizeof HELPER_OPTIONS + strlen(theirs);
    char *options = malloc(bytes);

    if (options)
        snprintf(options, bytes, "%s%s", HELPER_OPTIONS, theirs);
    return options;
}

bool cw_helper_program_load(struct cw_run_program *p, struct cw_run_context_device *place)
{
    cl_program *copy = &p->copies[place->worker->number];

    if (!*copy && p->source && cw_run_context_device_queue(p->context, place) && cw_pending_builds_begin()) {
        char *options = options_of(p->options ? p->options : "");

        if (options)
            *copy = cw_helper_build_load(p->context, place, &(struct cw_run_recipe){p->source, options});
        free(options);
        cw_pending_builds_end();
    }
    return *copy;
}

bool cw_helper_program_is(const struct cw_run_program *p, uint32_t worker, enum cw_run_copy_state state)
{
    bool is;

    cw_run_global_lock_take();
    is = p->copy[worker] == state;
    cw_run_global_lock_give();
    return is;
}

/* It is built once more, as the first build may have lacked what is there then: the dynamic loader, files. */
static void note_failure(struct cw_run_program *p, uint32_t worker)
{
    cw_run_global_lock_take();
    p->copy[worker] = p->refused >> worker & 1 ? CW_RUN_COPY_FAILED : CW_RUN_COPY_MISSED;
    p->refused |= UINT64_C(1) << worker;
    cw_run_global_lock_give();
}

cl_program cw_helper_program_of(struct cw_run_program *p, struct cw_run_context_device *place)
{
    cl_program *copy = &p->copies[place->worker->number];
    char *options;

    if (*copy || cw_helper_program_is(p, place->worker->number, CW_RUN_COPY_FAILED) ||
        cw_helper_program_load(p, place) || !cw_run_context_device_queue(p->context, place) ||
        !cw_pending_builds_begin())
        return *copy;
    options = options_of(p->options ? p->options : "");
    if (options) {
        const struct cw_run_recipe recipe = {p->source, options};

        cw_helper_build_ask(place, &recipe); /* first: the end of the process may cut the build off */
        *copy = cw_helper_build_build(p->context, place, &recipe);
    }
    if (!*copy)
        note_failure(p, place->worker->number);
    free(options);
    cw_pending_builds_end();
    return *copy;
}

bool cw_helper_program_ask(const struct cw_run_recipe *program, const struct cw_run_context_device *place)
{
    char *options = options_of(program->options);
    bool good = options && cw_helper_build_ask(place, &(struct cw_run_recipe){program->source, options});

    free(options);
    return good;
}

bool cw_helper_program_knows(const struct cw_run_launch *l, const struct cw_run_context_device *place,
                             const struct cw_run_ndrange *r)
{
    struct cw_run_program *p = l->kernel->program;
    char *options = options_of(p->options ? p->options : "");
    bool known = !options || cw_isolated_launch_knows(place, &(struct cw_run_recipe){p->source, options},
                                                      l->kernel->name, r, l, NULL, 0);

    free(options);
    return known;
}

cl_int cw_helper_program_ahead(const struct cw_run_launch *l, const struct cw_run_context_device *place,
                               const struct cw_run_ndrange *r)
{
    struct cw_run_program *p = l->kernel->program;
    char *options = options_of(p->options ? p->options : "");
    cl_int err = options ? cw_isolated_launch_ahead(place, &(struct cw_run_recipe){p->source, options},
                                                    l->kernel->name, r, l, NULL, 0)
                         : CL_OUT_OF_RESOURCES;

    free(options);
    return err;
}
