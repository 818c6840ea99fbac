/* platform_builtin.c - platforms that need no file. `clweave replay --show-platform NAME` prints them as a
 * start for one's own. */
#include "platform_file.h"

#include <string.h>

/* The HXDSP board of Gu, Ning, Zheng (2022), table 1, times in microseconds:
 *   vector length   transfer   compile   set-up   execution
 *            2000         36       141      224         540
 *            4000         81       141      224        1080
 *            6000        102       141      224        1620
 *            8000        129       141      224        2160
 * Four-byte words, so 2000 elements are 8000 bytes; execution is 0.27 us per element. Compilation happens
 * once per program and is not part of a command. All devices share one DDR, and only the host's CPU moves
 * data. The CPU is 1.1 times slower than one DSP, the mean of the paper's random graphs.
 *
 * The kernel of table 1 adds two vectors: 12 bytes an element. The DDR serves the rate of the table's last
 * piece, 8000 bytes in 27 us; that is 40.5 ns of the 270. Other kernels take the times of their operations
 * (30 GOPS, 8 GFMACS, SIMD over four macros, two cores with six blocks of 256 K words each); item_ns is the
 * rest of the 270 ns for the loop over work-items. On the platform hxdsp-operations, that is; on hxdsp every
 * kernel takes the times of table 1, so that traces need no models of their kernels. */
#define HXDSP(name, operations)                                                                              \
    "{\"format\": \"clweave-platform\", \"version\": 1, \"name\": \"" name                                   \
    "\", \"ddr_bytes_per_ns\": 0.2963,\n"                                                                    \
    " \"devices\": [\n"                                                                                      \
    "  {\"name\": \"cpu\", \"class\": \"cpu\", \"memory\": \"ddr\", \"launch_ns\": 246400, "                 \
    "\"ns_per_item\": 297,\n"                                                                                \
    "   \"transfers\": {\"table\": [[8000, 36000], [16000, 81000], [24000, 102000], [32000, 129000]]}},\n"   \
    "  {\"name\": \"dsp\", \"class\": \"dsp\", \"memory\": \"ddr\", \"count\": 4, \"launch_ns\": 224000, "   \
    "\"ns_per_item\": 270, \"bytes_per_item\": 12,\n" operations                                             \
    "   \"compile_ns\": 141000, \"transfers\": false}]}\n"

static const char hxdsp[] = HXDSP("hxdsp", "");
static const char hxdsp_operations[] =
    HXDSP("hxdsp-operations", "   \"operations\": {\"gops\": 30, \"gfmacs\": 8, \"lanes\": 4, \"cores\": 2, "
                              "\"item_ns\": 229.3, \"local_bytes\": 12582912},\n");

const char *const cw_platform_builtin_names[] = {"hxdsp", "hxdsp-operations", NULL};
static const char *const texts[] = {hxdsp, hxdsp_operations};

const char *cw_platform_builtin(const char *name)
{
    for (size_t k = 0; cw_platform_builtin_names[k]; k++)
        if (strcmp(cw_platform_builtin_names[k], name) == 0)
            return texts[k];
    return NULL;
}
