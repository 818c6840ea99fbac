/* known.c - see models/known.h. */
#include "known.h"

#include <stdlib.h>
#include <string.h>

#include "../code/code.h"
#include "acceptance.h"
#include "cutter.h"
#include "reach.h"

static void free_known(struct cw_run_known *known)
{
    cw_run_acceptance_free(known);
    cw_run_reach_free(known);
    cw_run_cutter_free(known);
    cw_compiler_kinds_free(known->loaded);
    free(known->launches);
    free(known->mean_ns);
    free(known->broken);
    free(known->name);
    free(known);
}

static struct cw_run_known *create(const char *name)
{
    struct cw_run_known *known = calloc(1, sizeof *known);

    if (!known)
        return NULL;
    known->refs = 1;
    known->name = strdup(name);
    known->launches = calloc(CW_RUN_WORKERS, sizeof *known->launches);
    known->loaded = cw_compiler_kinds_new();
    known->mean_ns = calloc(CW_RUN_WORKERS, sizeof *known->mean_ns);
    known->broken = calloc(CW_RUN_WORKERS, sizeof *known->broken);
    if (known->name && known->launches && known->loaded && known->mean_ns && known->broken)
        return known;
    free_known(known);
    return NULL;
}

struct cw_run_known *cw_run_known_of(struct cw_run_program *p, const char *name)
{
    struct cw_run_known *known = p->known;

    while (known && strcmp(known->name, name) != 0)
        known = known->next;
    if (!known && (known = create(name))) {
        known->next = p->known;
        p->known = known;
    }
    if (known)
        known->refs++;
    return known;
}

void cw_run_known_release(struct cw_run_known *known)
{
    if (known && !--known->refs)
        free_known(known);
}

void cw_run_known_forget(struct cw_run_program *p)
{
    for (struct cw_run_known *known = p->known, *next; known; known = next) {
        next = known->next;
        cw_run_known_release(known);
    }
    p->known = NULL;
}
