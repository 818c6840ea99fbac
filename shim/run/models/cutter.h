/* cutter.h - the verdicts of a model on cutting its launches and on their local size; made once for each
 * model. Lock held in all of them. */
#ifndef CW_RUN_CUTTER_H
#define CW_RUN_CUTTER_H

#include "../core/types.h"

struct cw_run_models;
struct cw_cutter;
struct cw_form;

struct cw_run_cutter {
    struct cw_run_models *models; /* all below goes by these; one reference is held */
    struct cw_cutter *cutter;     /* NULL: there is none */
    bool ordered;                 /* cw_cut_ordered() */
    bool has_atomics;             /* of any memory, work-groups' own, too */
    struct cw_form *form;         /* bytes that tiles touch; NULL: tiles/cut.c has not asked yet */
};

/* For the models that the program has now, which are there. NULL: there is no cutter, or memory is out. The
 * kernel owns it. */
struct cw_run_cutter *cw_run_cutter_of(struct cw_run_kernel *k);

/* Its results cannot depend on its work-groups. */
bool cw_run_cutter_group_free(const struct cw_run_kernel *k);

/* Another local size than the program's device would choose gives the same bytes, with the arguments of the
 * launch in hand, whose memory has been looked up: the kernel cannot see it, and compilers keep its order
 * (cw_cut_ordered). */
bool cw_run_cutter_any_local(struct cw_run_kernel *k);
/* That is not so for any arguments; false as well while it is not known yet. Looks at no argument.
 */
bool cw_run_cutter_one_local(struct cw_run_kernel *k);

void cw_run_cutter_free(struct cw_run_known *known);

#endif
