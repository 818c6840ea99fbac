/* lift_memo.c - the expressions lifted already, by value and vector lane. */
#include "lift.h"

#include <stdlib.h>

struct cw_lift_memo {
    size_t n, buckets; /* power of two */
    struct memo_entry {
        LLVMValueRef v; /* NULL: free */
        int lane, node;
    } * entry;
};

static struct memo_entry *find(struct memo_entry *entry, size_t buckets, LLVMValueRef v, int lane)
{
    size_t mask = buckets - 1;
    size_t i = (((uintptr_t)v >> 4) * UINT64_C(0x9E3779B97F4A7C15) + (size_t)(lane + 8) * 7919) >> 20 & mask;
    while (entry[i].v && (entry[i].v != v || entry[i].lane != lane))
        i = (i + 1) & mask;
    return &entry[i];
}

bool cw_lift_init(struct cw_lift *l, struct cw_model *m, const struct cw_cfg *cfg, LLVMTargetDataRef layout,
                  LLVMValueRef function)
{
    *l = (struct cw_lift){.m = m, .cfg = cfg, .layout = layout, .function = function};
    l->memo = calloc(1, sizeof *l->memo);
    if (l->memo) {
        l->memo->buckets = 1024;
        l->memo->entry = calloc(l->memo->buckets, sizeof *l->memo->entry);
    }
    if (l->memo && l->memo->entry)
        return true;
    cw_lift_finish(l);
    return false;
}

void cw_lift_finish(struct cw_lift *l)
{
    if (l->memo)
        free(l->memo->entry);
    free(l->memo);
    l->memo = NULL;
}

bool cw_lift_recall(const struct cw_lift *l, LLVMValueRef v, int lane, int *node)
{
    const struct memo_entry *e = find(l->memo->entry, l->memo->buckets, v, lane);
    *node = e->node;
    return e->v != NULL;
}

void cw_lift_remember(struct cw_lift *l, LLVMValueRef v, int lane, int node)
{
    struct cw_lift_memo *m = l->memo;
    if (2 * m->n >= m->buckets) {
        struct memo_entry *wider = calloc(2 * m->buckets, sizeof *wider);
        if (!wider) {
            l->failed = true;
            return;
        }
        for (size_t i = 0; i < m->buckets; i++)
            if (m->entry[i].v)
                *find(wider, 2 * m->buckets, m->entry[i].v, m->entry[i].lane) = m->entry[i];
        free(m->entry);
        m->entry = wider;
        m->buckets *= 2;
    }
    struct memo_entry *e = find(m->entry, m->buckets, v, lane);
    m->n += !e->v;
    *e = (struct memo_entry){v, lane, node};
}
