/* cut_internal.h - shared by cut.c, cut_order.c and cut_memory.c only. */
#ifndef CW_FOOTPRINT_CUT_INTERNAL_H
#define CW_FOOTPRINT_CUT_INTERNAL_H

#include "cut.h"
#include "cut_form.h"

enum { CUT_REMEMBERED = 16 };

struct cut_memory {
    uint64_t hash;
    unsigned char *key;
    size_t n;
    struct cw_cut_verdict verdict;
};

struct cw_cutter {
    const struct cw_model *m;
    struct cw_eval *eval;
    struct cw_tile tile; /* the whole launch, or a range of its slabs */
    struct cut_form *form;
    int forms;              /* room: two per access and argument */
    unsigned char *certain; /* by access: enum certainty of cut.c; NULL: none was asked for */
    struct cut_memory known[CUT_REMEMBERED];
    int next; /* of `known`, to be overwritten */
    unsigned char *key;
    size_t key_n, key_capacity;
    uint64_t key_hash;
    bool key_fits; /* memory sufficed for the key */
};

/* cut.c: where argument b begins in the memory of argument a; false when they lie in different memories or
 * ranges. An image's layout is not known. */
bool cw_cut_share_memory(const struct cw_model *m, const struct cw_launch *launch, int a, int b,
                         int64_t *shift);

/* cut_order.c: each work-item's accesses are done in their order, however the vendor's compiler transforms
 * the kernel. False: those of accesses *first and *second may not. c->eval is set up for the whole launch. */
bool cw_cut_keeps_order(struct cw_cutter *c, const struct cw_launch *launch, int *first, int *second);

/* cut_memory.c: the verdict of a launch of the same shape, NULL when there is none; leaves the shape in
 * c->key. */
const struct cw_cut_verdict *cw_cut_memory_find(struct cw_cutter *c, const struct cw_launch *launch);
/* Remembers v for the shape in c->key; without memory nothing happens. */
void cw_cut_memory_keep(struct cw_cutter *c, const struct cw_cut_verdict *v);

#endif
