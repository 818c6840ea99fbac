/* Plans of chains that are kept between runs: a plan comes back for the steps that it was made of, and for no
 * others, even under equal keys. */
#include "groups_chain.h"

#include <unistd.h>

#include "../../shim/builds/later_builds.h"
#include "../../shim/run/groups/group.h"
#include "../../analyzer/io/folders.h"

static void comes_back_for_its_own(bool one_key)
{
    static const struct cw_groups_options options = {.width = 3, .height = 4, .workers = 2};
    char above[200], folder[220], command[240];
    static struct chain chain[2];
    struct cw_identity id[2];
    struct cw_groups plan, again;

    cw_identity_one_key = one_key;
    snprintf(above, sizeof above, "%s/clweave-plans.XXXXXX", cw_temporary_folder());
    assert_non_null(mkdtemp(above));
    snprintf(folder, sizeof folder, "%s/plans", above);
    cw_helper_cache_start(folder);
    for (int k = 0; k < 2; k++) {
        memset(&chain[k], 0, sizeof chain[k]);
        chain_jacobi(&chain[k], 64, 20, 1);
        chain[k].access[0][1].high += (uint64_t)k;
        id[k] = cw_run_group_name(chain[k].step, chain[k].steps, &options);
    }
    plan = chain_groups(&chain[0], options);
    assert_true(plan.tiles >= 1024); /* else it is not kept */
    cw_run_group_cache_store(&id[0], &plan);
    assert_false(cw_run_group_cache_load(&id[1], &again));
    assert_true(cw_run_group_cache_load(&id[0], &again));
    assert_memory_equal(again.tile, plan.tile, plan.tiles * sizeof *plan.tile);
    cw_groups_finish(&again);
    cw_groups_finish(&plan);
    for (int k = 0; k < 2; k++)
        cw_identity_finish(&id[k]);
    cw_identity_one_key = false;
    snprintf(command, sizeof command, "rm -rf '%s'", above);
    assert_int_equal(system(command), 0);
}

static void keys_differ(void **state)
{
    (void)state;
    comes_back_for_its_own(false);
}

static void one_key(void **state)
{
    (void)state;
    comes_back_for_its_own(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_differ), cmocka_unit_test(one_key)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
