/* fuzz_platform.c - platform files: the reader, what work costs there, and a small graph that is planned for
 * it. */
#include "../../analyzer/kernels/footprint/op_kinds.h"
#include "../../analyzer/plan/plan_result.h"
#include "../../analyzer/plan/plan_graph.h"
#include "../../analyzer/plan/platform_file.h"
#include "use_graph.h"

static const char small[] =
    "{\"format\":\"clweave-graph\",\"version\":1,\"devices\":[{\"class\":\"cpu\"},{\"class\":\"dsp\"}],"
    "\"tasks\":["
    "{\"cost\":[4,3],\"splittable\":true,\"groups\":8},{\"cost\":[5,2]},{\"cost\":[6,null]}],"
    "\"edges\":[{\"from\":0,\"to\":1,\"data\":100},{\"from\":0,\"to\":2,\"data\":7}]}";

static void ask_costs(const struct cw_platform_model *m)
{
    const struct cw_work_ops ops = {.groups = 8, .group_items = 64, .group_bytes = 4096};
    const struct cw_work work[] = {{.kernel = "mul", .items = 512, .traced_ns = 1e6, .ops = &ops},
                                   {.kernel = "sort", .items = 1e18, .traced_ns = 1},
                                   {.bytes = 1 << 20, .traced_ns = 5e3},
                                   {.bytes = 0, .traced_ns = 0}};
    uint32_t devices = cw_platform_model_platform(m)->devices;

    for (uint32_t d = 0; d < devices; d++)
        for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
            struct cw_work_cost cost;
            bool traced;
            double ns = cw_platform_model_cost(m, d, &work[i], &traced);
            FUZZ_PROMISE(ns >= 0, "work takes %g ns", ns);
            if (cw_platform_model_parts(m, d, &work[i], &cost))
                FUZZ_PROMISE(cw_platform_work_ns(&cost) >= 0, "parts of work take %g ns",
                             cw_platform_work_ns(&cost));
        }
}

static void plan_there(const struct cw_platform_model *m, const uint8_t *data, size_t size)
{
    struct cw_graph *g = NULL, *moved = NULL;
    struct cw_platform *p = NULL;
    struct cw_error err = {0};

    FUZZ_PROMISE(cw_graph_format_clweave.read(fuzz_file(small, sizeof small - 1), 0, &g, &p, &err) == CW_OK,
                 "%s", err.text);
    if (cw_plan_graph_retarget(g, p, m, &moved, &err) == CW_OK)
        fuzz_plan_one(data, size, moved, cw_platform_model_platform(m));
    cw_graph_destroy(moved);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_platform_model *m = NULL;
    struct cw_error err = {0};

    if (cw_platform_model_load(fuzz_file(data, size), size % 4 ? -1 : 3, &m, &err) != CW_OK) {
        FUZZ_PROMISE(!m && err.text[0], "refused without a message");
        return 0;
    }
    ask_costs(m);
    cw_platform_model_divide_kernels(m);
    plan_there(m, data, size);
    cw_platform_model_destroy(m);
    return 0;
}
