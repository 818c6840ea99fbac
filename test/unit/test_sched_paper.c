/* The HXDSP paper's table 2 (80 tasks, 1 CPU + 4 DSP, CCR 0.1, 0.2, 0.3, ten graphs each, seeds 1000 to
 * 1029): the speedups of HEFT within 10 % of the paper's, those of HDGEFT within 15 %. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../sched/generate.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"

static double mean_speedup(const char *policy, uint32_t out_degree)
{
    double sum = 0;

    for (uint32_t k = 0; k < 30; k++) {
        struct cw_hxdsp o = {80, 4, out_degree, 0.1 * (1 + k % 3), 1000 + k};
        struct cw_policy_config config;
        struct cw_schedule *s;
        struct cw_metrics m;
        struct cw_graph *g;
        struct cw_platform *p;
        assert_int_equal(cw_generate_hxdsp(&o, &g, &p, NULL), CW_OK);
        assert_int_equal(cw_policy_parse(&config, policy, NULL), CW_OK);
        assert_int_equal(cw_policy_run(&config, g, p, &s, NULL), CW_OK);
        assert_int_equal(cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), NULL), CW_OK);
        sum += m.speedup / 30;
        cw_metrics_finish(&m);
        cw_schedule_destroy(s);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
    }
    return sum;
}

static void test_paper_speedups(void **state)
{
    static const struct {
        uint32_t out_degree;
        double heft, hdgeft;
    } paper[] = {{1, 4.47, 4.75},  {3, 3.97, 4.50},  {5, 3.16, 3.93},
                 {10, 2.10, 2.69}, {15, 1.66, 2.58}, {20, 1.40, 2.61}};

    (void)state;
    for (size_t k = 0; k < sizeof paper / sizeof *paper; k++) {
        double heft = mean_speedup("heft", paper[k].out_degree),
               hdgeft = mean_speedup("hdgeft", paper[k].out_degree);
        print_message("out-degree %2u: HEFT %.2f (paper %.2f), HDGEFT %.2f (paper %.2f)\n",
                      paper[k].out_degree, heft, paper[k].heft, hdgeft, paper[k].hdgeft);
        assert_true(fabs(heft / paper[k].heft - 1) <= 0.10);
        assert_true(fabs(hdgeft / paper[k].hdgeft - 1) <= 0.15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paper_speedups)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
