/* group_cache.c - see groups/group.h. */
#include "group.h"
#include "../memory/byte_range.h"

#include <stdlib.h>

#include "../../../sched/groups_pack.h"
#include "../../builds/later_builds.h"

#define KIND        "plan 2"
#define PLACE       (UINT64_C(1) << 40) /* apart by so much; a larger memory is none */
#define LEAST_TILES 1024                /* fewer are planned as soon as read */

enum { MOST = 32 };

struct home {
    const struct cw_run_memory *root;
    uint64_t low, high;
};

/* False: there are too many, or two share bytes. */
static bool find_homes(const struct cw_run_group *g, struct home home[MOST], uint32_t *homes)
{
    *homes = 0;
    for (uint32_t s = 0; s < g->steps; s++) {
        const struct cw_run_launch *l = &g->step[s].task->launch;

        for (uint32_t a = 0; a < l->kernel->count; a++) {
            const struct cw_run_memory *root = l->args[a].memory ? l->args[a].memory->root : NULL;
            uint64_t low = root ? cw_run_byte_range_number(root->region, root->offset) : 0;
            uint64_t high = low + (root ? root->bytes : 0);
            uint32_t k = 0;

            while (root && k < *homes && home[k].root != root && (high <= home[k].low || home[k].high <= low))
                k++;
            if (!root || (k < *homes && home[k].root == root))
                continue;
            if (k < *homes || *homes == MOST || root->bytes >= PLACE)
                return false;
            home[(*homes)++] = (struct home){root, low, high};
        }
    }
    return true;
}

bool cw_run_group_cache_settle(const struct cw_run_group *g, struct cw_groups_step *step)
{
    struct home home[MOST];
    uint32_t homes;

    if (!find_homes(g, home, &homes))
        return false;
    for (int move = 0; move < 2; move++) /* all, or none */
        for (uint32_t s = 0; s < g->steps; s++)
            for (size_t i = 0; i < (size_t)step[s].tiles * step[s].accesses; i++) {
                struct cw_groups_access *a = (struct cw_groups_access *)&step[s].access[i];
                uint32_t k = 0;

                if (a->low >= a->high)
                    continue;
                while (k < homes && (a->low < home[k].low || a->high > home[k].high))
                    k++;
                if (k == homes)
                    return false;
                if (move) {
                    a->low += (k + 1) * PLACE - home[k].low;
                    a->high += (k + 1) * PLACE - home[k].low;
                }
            }
    return true;
}

struct cw_identity cw_run_group_name(const struct cw_groups_step *step, uint32_t steps,
                                     const struct cw_groups_options *options)
{
    size_t n = 0;
    uint64_t *words = cw_groups_words(step, steps, options, &n);
    struct cw_identity id;

    cw_identity_begin(&id, KIND);
    cw_identity_add(&id, words, words ? n * sizeof *words : 0);
    id.failed |= !words;
    free(words);
    return id;
}

bool cw_run_group_cache_load(const struct cw_identity *id, struct cw_groups *out)
{
    size_t bytes;
    void *data = cw_helper_cache_read(id, &bytes);
    bool good = data && cw_groups_unpack(data, bytes, out);

    free(data);
    return good;
}

void cw_run_group_cache_store(const struct cw_identity *id, const struct cw_groups *plan)
{
    size_t bytes;
    void *data = plan->tiles < LEAST_TILES ? NULL : cw_groups_pack(plan, &bytes);

    if (data)
        cw_helper_cache_write(id, data, bytes);
    free(data);
}
