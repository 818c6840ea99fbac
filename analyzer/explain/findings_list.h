/* findings_list.h - the findings while they are collected, and how they name commands and places in code.
 *
 * Shared by findings.c and its parts: findings_troubles.c. */
#ifndef CW_FINDINGS_LIST_H
#define CW_FINDINGS_LIST_H

#include "explain.h"
#include "figures.h"

struct cw_findings_list {
    struct cw_finding *v;
    size_t count;
    const struct cw_trace *t;
    struct cw_code_places *places; /* NULL: no memory */
};

/* Adds a finding; beyond CW_FINDINGS_MAX it does nothing. */
__attribute__((format(printf, 4, 5))) void cw_findings_list_add(struct cw_findings_list *l,
                                                                enum cw_finding_kind kind, const char *title,
                                                                const char *text, ...);

enum { CW_FINDINGS_LIST_TEXT = 240 };

/* "#3 clEnqueueNDRangeKernel of work at main.c:57": a command of the trace, in `text`, which is returned. */
const char *cw_findings_list_command(const struct cw_findings_list *l, uint32_t command,
                                     char text[CW_FINDINGS_LIST_TEXT]);

/* `before` and the place of `callsite`, " at main.c:57"; "" where it is not known. In `text`, which is
 * returned. */
const char *cw_findings_list_place(const struct cw_findings_list *l, const char *before,
                                   struct cw_slice callsite, char text[CW_FINDINGS_LIST_TEXT]);

/* ---- the parts; each adds its findings */

/* Faults: of calls, builds, objects, orders. */
void cw_findings_troubles(struct cw_findings_list *l, const struct cw_figures *f);

/* Ways to use OpenCL that cost time, and objects that are kept. */
void cw_findings_habits(struct cw_findings_list *l, const struct cw_figures *f);
void cw_findings_habits_unreleased(struct cw_findings_list *l, const struct cw_figures *f);

#endif
