#include "platform_file.h"

#include <stdlib.h>

#include "../io/json_fields.h"

enum cw_status cw_platform_links_create(const json_t *root, const struct cw_device_spec *spec,
                                        uint32_t devices, double bandwidth, struct cw_platform **platform,
                                        struct cw_error *err)
{
    bool pairs = json_is_array(json_array_get(json_object_get(root, "latency"), 0));
    double latency = 0, *bandwidths = NULL, *latencies = NULL;
    enum cw_status status = cw_json_per_device(root, "bandwidth", 2, devices, &bandwidth, &bandwidths, err);

    *platform = NULL;
    if (status == CW_OK)
        status = cw_json_per_device(root, "latency", pairs ? 2 : 1, devices, &latency, &latencies, err);
    if (status == CW_OK && pairs)
        status = cw_platform_create_pairs(spec, devices, bandwidths, bandwidth, latencies, platform, err);
    else if (status == CW_OK)
        status = cw_platform_create(spec, devices, bandwidths, bandwidth, latencies, latency, platform, err);
    free(bandwidths);
    free(latencies);
    return status;
}
