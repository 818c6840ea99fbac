/* bench_ratio.c - adaptive block and ratio, sync (the patent), async, and blocks of one size (dispatch)
 * side by side, in exact virtual time.
 *
 * usage: bench_ratio           a table: machines of two to five devices, the first three launches as shares
 * of the best static split, and a launch in the middle of which the first device becomes slower bench_ratio
 * series    lines "mode ms device share part": the ratio and the part after each report, of three launches of
 *                              a machine 1 : 2 : 4, in the middle of the third of which the fastest becomes
 * four times slower */
#include <assert.h>
#include <stdint.h>

#define assert_true(x)             assert(x)
#define assert_int_equal(a, b)     assert((a) == (b))
#define assert_int_not_equal(a, b) assert((a) != (b))

#include "../unit/adaptive_machine.h"

enum { GROUPS = 8000 };

static double offset_ms; /* of the launch that is watched */
static const char *mode;

static const enum cw_adaptive_mode modes[] = {CW_ADAPTIVE_ASYNC, CW_ADAPTIVE_SYNC, CW_ADAPTIVE_DISPATCH};

static struct cw_adaptive *controller(const struct machine *m, enum cw_adaptive_mode how)
{
    struct cw_adaptive_options o = {.mode = how, .overhead_ns = m->overhead_ns};
    struct cw_adaptive *a = cw_adaptive_create(m->devices, &o);

    assert(a);
    return a;
}

static void print_row(const char *name, const double *speed)
{
    struct machine m = {.overhead_ns = 5000};

    for (; m.devices < 5 && speed[m.devices] > 0; m.devices++)
        m.speed[m.devices] = speed[m.devices] * 1e-4;
    printf("%-16s", name);
    for (size_t way = 0; way < sizeof modes / sizeof *modes; way++) {
        struct cw_adaptive *a = controller(&m, modes[way]);
        double best = best_static(&m, GROUPS), all = 0, then = 0, last = 0;
        for (int k = 0; k < 3; k++) {
            last = launch(a, &m, GROUPS).ns;
            printf(" %7.1f", 100 * best / last);
        }
        m.change_ns = last / 2;
        m.speed_then = m.speed[0] / 4;
        for (uint32_t d = 0; d < m.devices; d++) {
            all += m.speed[d];
            then += d ? m.speed[d] : m.speed_then;
        }
        printf(" %7.1f |",
               100 * (m.change_ns + (GROUPS - all * m.change_ns) / then) / launch(a, &m, GROUPS).ns);
        m.change_ns = 0;
        cw_adaptive_destroy(a);
    }
    printf("\n");
}

static void watch(const struct cw_adaptive *a, const struct machine *m, double now_ns, uint32_t device,
                  uint64_t groups)
{
    (void)device;
    for (uint32_t d = 0; d < m->devices; d++)
        printf("%s %.4f %u %.5f %llu\n", mode, offset_ms + now_ns / 1e6, d, cw_adaptive_share(a, d),
               (unsigned long long)(!strcmp(mode, "sync") ? cw_adaptive_block(a) : groups));
}

static void print_series(void)
{
    for (int sync = 0; sync < 2; sync++) {
        struct machine m = {.devices = 3, .speed = {1e-4, 2e-4, 4e-4}, .overhead_ns = 5000, .watch = watch};
        struct cw_adaptive *a = controller(&m, modes[sync]);
        double last = 0;

        mode = sync ? "sync" : "async";
        offset_ms = 0;
        for (int k = 0; k < 3; k++) {
            m.changing = 2;
            m.change_ns = k == 2 ? last / 2 : 0;
            m.speed_then = 1e-4;
            last = launch(a, &m, GROUPS).ns;
            offset_ms += last / 1e6;
        }
        cw_adaptive_destroy(a);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double speed[6];
    } rows[] = {{"1:1", {1, 1}},
                {"1:2", {1, 2}},
                {"1:5", {1, 5}},
                {"1:20", {1, 20}},
                {"1:1:1", {1, 1, 1}},
                {"1:2:4", {1, 2, 4}},
                {"1.1:1:1:1:1", {1.1, 1, 1, 1, 1}},
                {"1:2:4:10:20", {1, 2, 4, 10, 20}},
                {"1:20:20:20:20", {1, 20, 20, 20, 20}}};

    if (argc > 1 && !strcmp(argv[1], "series")) {
        print_series();
        return 0;
    }
    printf("%d groups of .5 to 10 us, 5 us a part: %% of the best static split in launches 1, 2, 3; %% of "
           "what could be had\n"
           "when the first device becomes four times slower midway\n",
           GROUPS);
    printf("%-16s %31s | %31s | %31s |\n", "speeds", "async", "sync (patent)",
           "dispatch (blocks of one size)");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        print_row(rows[r].name, rows[r].speed);
    return 0;
}
