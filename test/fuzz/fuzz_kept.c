/* fuzz_kept.c - what earlier runs have kept, as another version, another program or a broken disk may leave
 * it: plans of priority groups, rows of the history. The first byte chooses. */
#include "../../analyzer/history/history.h"
#include "../../sched/groups.h"
#include "../../sched/groups_pack.h"
#include "harness.h"

#include <math.h>

static void unpack(const uint8_t *data, size_t size)
{
    struct cw_groups g;

    if (cw_groups_unpack(data, size, &g))
        cw_groups_finish(&g);
}

/* Rows as a database may hold them. */
static void merge(const uint8_t *data, size_t size)
{
    struct cw_history *h = cw_history_create();
    struct cw_history_estimate estimate[2];
    struct cw_history_entry e;
    uint32_t device[2];

    FUZZ_PROMISE(h, "out of memory");
    device[0] = cw_history_device(h, "a");
    device[1] = cw_history_device(h, "b");
    for (; size >= sizeof e; data += sizeof e, size -= sizeof e) {
        memcpy(&e, data, sizeof e);
        e.kernel = (struct cw_key){{1, e.kernel.half[0] % 4}};
        e.shape %= 4;
        e.device = device[e.device % 2];
        (void)cw_history_merge(h, &e);
        cw_history_add(h, e.kernel, e.shape, e.device, e.size, e.fresh.mean_ns);
        cw_history_predict(h, e.kernel, e.shape, e.size, device, NULL, 2, estimate);
        for (int k = 0; k < 2; k++)
            FUZZ_PROMISE(estimate[k].mean_ns >= 0 && estimate[k].mean_ns < INFINITY &&
                             estimate[k].error_ns >= 0,
                         "a launch takes %g +- %g ns", estimate[k].mean_ns, estimate[k].error_ns);
    }
    (void)cw_history_trial_budget_ns(h);
    cw_history_destroy(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] % 2)
        unpack(data + 1, size - 1);
    else if (size)
        merge(data + 1, size - 1);
    return 0;
}
