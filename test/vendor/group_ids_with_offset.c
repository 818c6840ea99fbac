/* group_ids_with_offset.c - a part of a launch, started with a global offset, sees ids and sizes of the part.
 *
 * Design, section 5: work-groups 2 and 3 of a launch of 4 x 16 items, launched alone with offset 32, must not
 * be told that they are groups 0 and 1 of 2; only get_global_id is what the whole launch would have given. */
#include "common.h"

static const char source[] =
    "__kernel void ids(__global uint *restrict out) {\n"
    "    uint at = get_global_id(0) * 5;\n"
    "    out[at] = get_global_id(0); out[at + 1] = get_group_id(0); out[at + 2] = get_num_groups(0);\n"
    "    out[at + 3] = get_global_size(0); out[at + 4] = get_global_offset(0);\n"
    "}\n";

enum { ITEMS = 64, GROUP = 16, FIRST = 32, FIELDS = 5 };

int main(void)
{
    static const char *const drivers[] = {"pthread", "basic"};
    struct vendor v;
    vendor_open(&v, "pthread basic", source, "");
    cl_kernel ids = vendor_kernel(&v, "ids");
    for (cl_uint d = 0; d < 2; d++) {
        cl_uint out[ITEMS * FIELDS] = {0}, *part = &out[FIRST * FIELDS];
        const size_t offset = FIRST, global = ITEMS - FIRST, local = GROUP;
        cl_command_queue q = vendor_queue(&v, vendor_find(&v, drivers[d]));
        cl_mem m = vendor_buffer(&v, sizeof out, NULL);
        app_args(ids, "m", m);
        APP_CHECK(clEnqueueNDRangeKernel(q, ids, 1, &offset, &global, &local, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        vendor_expect(part[0] == FIRST, "%s: the first item's get_global_id is %u, as in the whole launch",
                      drivers[d], part[0]);
        vendor_expect(part[1] == 0, "%s: its get_group_id is %u; in the whole launch it is 2", drivers[d],
                      part[1]);
        vendor_expect(part[2] == 2, "%s: its get_num_groups is %u; in the whole launch it is 4", drivers[d],
                      part[2]);
        vendor_expect(part[3] == 32, "%s: its get_global_size is %u; in the whole launch it is 64",
                      drivers[d], part[3]);
        vendor_expect(part[4] == 32, "%s: its get_global_offset is %u; in the whole launch it is 0",
                      drivers[d], part[4]);
        app_release_mems(&m, 1);
        APP_CHECK(clReleaseCommandQueue(q));
    }
    APP_CHECK(clReleaseKernel(ids));
    vendor_close(&v);
    return vendor_status();
}
