#include "platform_file.h"
#include "../io/json_fields.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The cost of a command on the devices of a platform file. */

static const struct platform_rule *rule_for(const struct platform_entry *e, const char *kernel)
{
    for (size_t r = 0; r < e->kernels; r++)
        if (fnmatch(e->kernel[r].pattern, kernel, 0) == 0)
            return &e->kernel[r];
    return &e->rule;
}

static double transfer_cost(const struct platform_entry *e, double bytes)
{
    struct platform_point a = {0, 0}, b;
    size_t k = 0;

    if (e->rows == 0)
        return e->latency_ns + bytes / e->bytes_per_ns;
    while (k + 1 < e->rows && bytes > e->table[k].bytes)
        k++;
    b = e->table[k];
    if (k > 0)
        a = e->table[k - 1];
    return e->latency_ns + a.ns + (bytes - a.bytes) * (b.ns - a.ns) / (b.bytes - a.bytes);
}

/* Divides a kernel's time into computing and memory. */
static void divide(const struct cw_platform_model *m, const struct platform_entry *e,
                   const struct platform_rule *r, const struct cw_work *work, struct cw_work_cost *c)
{
    bool by_ops = work->ops && e->rates.known && !r->given;
    bool staged = e->preload && (!by_ops || cw_operations_rates_can_stage(&e->rates, work->ops));
    double groups = work->ops ? work->ops->groups : 0, ns;

    if (by_ops) {
        c->compute_ns = cw_operations_rates_compute_ns(&e->rates, work->ops, work->items);
        c->memory_ns = cw_operations_rates_bytes(work->ops, work->items, staged) / m->ddr_bytes_per_ns;
        c->in_turn_ns = c->compute_ns + c->memory_ns;
    } else {
        c->traced = isnan(r->ns_per_item);
        ns = c->traced ? work->traced_ns / r->speed : work->items * r->ns_per_item;
        c->memory_ns = isnan(r->bytes_per_item) ? 0 : work->items * r->bytes_per_item / m->ddr_bytes_per_ns;
        c->memory_ns = c->memory_ns < ns ? c->memory_ns : ns;
        c->compute_ns = ns - c->memory_ns;
        c->in_turn_ns = ns;
    }
    c->overlapped = staged && c->memory_ns > 0;
    c->fill_ns = c->overlapped && groups > 0 ? c->memory_ns / groups : 0;
}

bool cw_platform_model_parts(const struct cw_platform_model *m, uint32_t d, const struct cw_work *work,
                             struct cw_work_cost *c)
{
    const struct platform_entry *e = &m->entry[m->entry_of[d]];
    const struct platform_rule *r;

    *c = (struct cw_work_cost){0};
    if (!work->kernel) {
        c->traced = e->transfers == TRANSFERS_TRACED;
        c->memory_ns = c->traced ? work->traced_ns : transfer_cost(e, work->bytes);
        c->in_turn_ns = c->memory_ns;
        return e->transfers != TRANSFERS_NEVER;
    }
    r = rule_for(e, work->kernel);
    c->set_up_ns = r->launch_ns;
    divide(m, e, r, work, c);
    return r->run;
}

double cw_platform_work_ns(const struct cw_work_cost *c)
{
    double rest = c->memory_ns - c->fill_ns;

    if (!c->overlapped)
        return c->set_up_ns + c->in_turn_ns;
    return c->set_up_ns + c->fill_ns + (c->compute_ns > rest ? c->compute_ns : rest);
}

double cw_platform_model_cost(const struct cw_platform_model *m, uint32_t d, const struct cw_work *work,
                              bool *traced)
{
    struct cw_work_cost c;
    bool runs = cw_platform_model_parts(m, d, work, &c);

    *traced = runs && c.traced;
    return runs ? cw_platform_work_ns(&c) : INFINITY;
}

bool cw_platform_model_by_operations(const struct cw_platform_model *m, uint32_t d)
{
    return m->entry[m->entry_of[d]].rates.known;
}

void cw_platform_model_preload(struct cw_platform_model *m)
{
    for (size_t k = 0; k < m->entries; k++)
        m->entry[k].preload |= strcmp(m->entry[k].class_name, "dsp") == 0;
}

void cw_platform_model_divide_kernels(struct cw_platform_model *m)
{
    for (uint32_t d = 0; d < m->platform->devices; d++)
        m->platform->device[d].set_up = m->entry[m->entry_of[d]].rule.launch_ns;
}

double cw_platform_model_speed(const struct cw_platform_model *m, uint32_t d)
{
    return m->entry[m->entry_of[d]].rule.speed;
}

double cw_platform_model_compile_ns(const struct cw_platform_model *m, uint32_t d)
{
    return m->entry[m->entry_of[d]].compile_ns;
}

const struct cw_platform *cw_platform_model_platform(const struct cw_platform_model *m)
{
    return m->platform;
}

void cw_platform_model_destroy(struct cw_platform_model *m)
{
    if (!m)
        return;
    for (size_t k = 0; k < m->entries; k++) {
        struct platform_entry *e = &m->entry[k];
        for (size_t r = 0; r < e->kernels; r++)
            free(e->kernel[r].pattern);
        free(e->kernel);
        free(e->table);
        free(e->name);
        free(e->class_name);
        free(e->memory);
    }
    free(m->entry);
    free(m->entry_of);
    cw_platform_destroy(m->platform);
    free(m);
}

/* ---- reading */

static enum cw_status range(const char *where, const char *key, double value, bool positive,
                            struct cw_error *err)
{
    if (isnan(value) || (positive ? value > 0 : value >= 0))
        return CW_OK;
    return cw_error_set(err, CW_ERR_FORMAT, "%s.%s: is %g; it must be %s", where, key, value,
                        positive ? "above 0" : "0 or more");
}

/* speed, ns_per_item, launch_ns: the members that a device and its exceptions have in common. */
static enum cw_status read_rule(const json_t *object, const char *where, struct platform_rule *r,
                                struct cw_error *err)
{
    enum cw_status status = cw_json_get_number(object, where, "speed", true, &r->speed, err);

    if (status == CW_OK && json_object_get(object, "speed"))
        r->ns_per_item = NAN; /* an exception with a speed of its own */
    if (status == CW_OK)
        status = cw_json_get_number(object, where, "ns_per_item", true, &r->ns_per_item, err);
    if (status == CW_OK)
        status = cw_json_get_number(object, where, "launch_ns", true, &r->launch_ns, err);
    if (status == CW_OK)
        status = cw_json_get_number(object, where, "bytes_per_item", true, &r->bytes_per_item, err);
    if (status == CW_OK)
        status = range(where, "bytes_per_item", r->bytes_per_item, false, err);
    if (status == CW_OK)
        status = range(where, "speed", r->speed, true, err);
    if (status == CW_OK)
        status = range(where, "ns_per_item", r->ns_per_item, false, err);
    return status == CW_OK ? range(where, "launch_ns", r->launch_ns, false, err) : status;
}

static enum cw_status read_kernels(const json_t *device, const char *where, struct platform_entry *e,
                                   struct cw_error *err)
{
    static const char *const keys[] = {"name",           "run", "speed", "ns_per_item", "launch_ns",
                                       "bytes_per_item", NULL};
    const json_t *list;
    enum cw_status status = cw_json_get_array(device, where, "kernels", true, &list, err);
    size_t n = json_array_size(list);

    if (status != CW_OK || n == 0)
        return status;
    e->kernel = calloc(n, sizeof *e->kernel);
    if (!e->kernel)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t k = 0; k < n && status == CW_OK; k++) {
        const json_t *row = json_array_get(list, k);
        const char *pattern = "";
        char at[64];
        snprintf(at, sizeof at, "%s.kernels[%zu]", where, k);
        e->kernel[k] = e->rule;
        e->kernels = k + 1;
        e->kernel[k].given = json_object_get(row, "speed") || json_object_get(row, "ns_per_item");
        status = cw_json_known_keys(row, at, keys, err);
        if (status == CW_OK)
            status = cw_json_get_string(row, at, "name", false, &pattern, err);
        e->kernel[k].pattern = strdup(pattern);
        if (status == CW_OK && !e->kernel[k].pattern)
            status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
        if (status == CW_OK)
            status = cw_json_get_flag(row, at, "run", true, &e->kernel[k].run, err);
        if (status == CW_OK)
            status = read_rule(row, at, &e->kernel[k], err);
    }
    return status;
}

static enum cw_status read_table(const json_t *object, const char *where, struct platform_entry *e,
                                 struct cw_error *err)
{
    const json_t *list;
    enum cw_status status = cw_json_get_array(object, where, "table", true, &list, err);

    if (status != CW_OK || !list)
        return status;
    e->table = calloc(json_array_size(list) + 1, sizeof *e->table);
    if (!e->table)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (; e->rows < json_array_size(list); e->rows++) {
        const json_t *row = json_array_get(list, e->rows), *bytes = json_array_get(row, 0),
                     *ns = json_array_get(row, 1);
        struct platform_point last = e->rows ? e->table[e->rows - 1] : (struct platform_point){0, 0};
        struct platform_point p = {json_number_value(bytes), json_number_value(ns)};
        if (json_array_size(row) != 2 || !json_is_number(bytes) || !json_is_number(ns) ||
            p.bytes <= last.bytes || p.ns < last.ns)
            return cw_error_set(err, CW_ERR_FORMAT,
                                "%s.table[%zu]: is not a pair [bytes, ns] above the one before", where,
                                e->rows);
        e->table[e->rows] = p;
    }
    return CW_OK;
}

static enum cw_status read_transfers(const json_t *device, const char *device_where, struct platform_entry *e,
                                     struct cw_error *err)
{
    static const char *const keys[] = {"table", "latency_ns", "bytes_per_ns", NULL};
    const json_t *j = json_object_get(device, "transfers");
    char where[64];
    enum cw_status status;

    e->bytes_per_ns = INFINITY;
    e->transfers = !j ? TRANSFERS_TRACED : json_is_false(j) ? TRANSFERS_NEVER : TRANSFERS_RULE;
    if (e->transfers != TRANSFERS_RULE)
        return CW_OK;
    snprintf(where, sizeof where, "%s.transfers", device_where);
    status = cw_json_known_keys(j, where, keys, err);
    if (status == CW_OK)
        status = cw_json_get_number(j, where, "latency_ns", true, &e->latency_ns, err);
    if (status == CW_OK)
        status = cw_json_get_number(j, where, "bytes_per_ns", true, &e->bytes_per_ns, err);
    if (status == CW_OK)
        status = range(where, "latency_ns", e->latency_ns, false, err);
    if (status == CW_OK)
        status = range(where, "bytes_per_ns", e->bytes_per_ns, true, err);
    return status == CW_OK ? read_table(j, where, e, err) : status;
}

static enum cw_status read_rates(const json_t *device, const char *device_where, struct platform_entry *e,
                                 struct cw_error *err)
{
    char where[64];

    snprintf(where, sizeof where, "%s.operations", device_where);
    return cw_operations_rates_read(json_object_get(device, "operations"), where, &e->rates, err);
}

static const char *const entry_keys[] = {
    "name",           "class",      "memory",  "count",     "speed",      "ns_per_item",       "launch_ns",
    "bytes_per_item", "compile_ns", "kernels", "transfers", "operations", "preload_poststore", NULL};

static enum cw_status read_entry(const json_t *device, const char *where, int64_t dsp,
                                 struct platform_entry *e, struct cw_error *err)
{
    const char *name, *class_name = NULL, *memory = NULL;
    uint64_t count = 1;
    enum cw_status status = cw_json_known_keys(device, where, entry_keys, err);

    e->rule = (struct platform_rule){.run = true, .speed = 1, .ns_per_item = NAN, .bytes_per_item = NAN};
    if (status == CW_OK)
        status = cw_json_get_string(device, where, "class", false, &class_name, err);
    name = class_name;
    if (status == CW_OK)
        status = cw_json_get_string(device, where, "name", true, &name, err);
    if (status == CW_OK)
        status = cw_json_get_string(device, where, "memory", true, &memory, err);
    if (status == CW_OK)
        status = cw_json_get_count(device, where, "count", true, &count, err);
    if (status == CW_OK && dsp >= 0 && strcmp(class_name, "dsp") == 0)
        count = (uint64_t)dsp;
    if (status == CW_OK && count > CW_PLATFORM_DEVICES_MAX)
        status = cw_error_set(err, CW_ERR_LIMIT, "%s: %llu devices; at most %d are possible", where,
                              (unsigned long long)count, CW_PLATFORM_DEVICES_MAX);
    if (status != CW_OK)
        return status;
    e->count = (uint32_t)count;
    e->name = strdup(name);
    e->class_name = strdup(class_name);
    e->memory = memory ? strdup(memory) : NULL;
    if (!e->name || !e->class_name || (memory && !e->memory))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    status = read_rule(device, where, &e->rule, err);
    if (status == CW_OK)
        status = cw_json_get_number(device, where, "compile_ns", true, &e->compile_ns, err);
    if (status == CW_OK)
        status = range(where, "compile_ns", e->compile_ns, false, err);
    if (status == CW_OK)
        status = read_kernels(device, where, e, err);
    if (status == CW_OK)
        status = cw_json_get_flag(device, where, "preload_poststore", true, &e->preload, err);
    if (status == CW_OK)
        status = read_rates(device, where, e, err);
    return status == CW_OK ? read_transfers(device, where, e, err) : status;
}

/* From entries with counts to single devices. */
static enum cw_status expand(struct cw_platform_model *m, const json_t *root, struct cw_error *err)
{
    struct cw_device_spec *spec = NULL;
    char(*name)[80] = NULL;
    uint32_t n = 0, devices = 0;
    enum cw_status status;

    for (size_t k = 0; k < m->entries; k++)
        devices += m->entry[k].count;
    if (devices > CW_PLATFORM_DEVICES_MAX)
        return cw_error_set(err, CW_ERR_LIMIT, "%u devices; at most %d are possible", devices,
                            CW_PLATFORM_DEVICES_MAX);
    spec = calloc(devices + 1, sizeof *spec);
    name = calloc(devices + 1, sizeof *name);
    m->entry_of = calloc(devices + 1, sizeof *m->entry_of);
    status = spec && name && m->entry_of ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t k = 0; status == CW_OK && k < m->entries; k++)
        for (uint32_t c = 0; c < m->entry[k].count; c++, n++) {
            snprintf(name[n], sizeof *name, "%.64s", m->entry[k].name);
            if (m->entry[k].count > 1)
                snprintf(name[n] + strlen(name[n]), 12, "%u", c);
            spec[n] = (struct cw_device_spec){
                .name = name[n], .class_name = m->entry[k].class_name, .memory = m->entry[k].memory};
            m->entry_of[n] = (uint32_t)k;
        }
    if (status == CW_OK)
        status = cw_platform_links_create(root, spec, devices, INFINITY, &m->platform, err);
    free(spec);
    free(name);
    return status;
}

static enum cw_status read_model(const json_t *root, int64_t dsp, struct cw_platform_model *m,
                                 struct cw_error *err)
{
    static const char *const keys[] = {"format",  "version",          "name", "about", "devices", "bandwidth",
                                       "latency", "ddr_bytes_per_ns", NULL};
    const json_t *list = NULL;
    enum cw_status status = cw_json_known_keys(root, "", keys, err);

    m->ddr_bytes_per_ns = INFINITY;
    if (status == CW_OK)
        status = cw_json_get_number(root, "", "ddr_bytes_per_ns", true, &m->ddr_bytes_per_ns, err);
    if (status == CW_OK)
        status = range("", "ddr_bytes_per_ns", m->ddr_bytes_per_ns, true, err);
    if (status == CW_OK)
        status = cw_json_get_array(root, "", "devices", false, &list, err);
    if (status != CW_OK)
        return status;
    m->entry = calloc(json_array_size(list) + 1, sizeof *m->entry);
    if (!m->entry)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t k = 0; k < json_array_size(list) && status == CW_OK; k++) {
        char where[32];
        snprintf(where, sizeof where, "devices[%zu]", k);
        m->entries = k + 1;
        status = read_entry(json_array_get(list, k), where, dsp, &m->entry[k], err);
    }
    return status == CW_OK ? expand(m, root, err) : status;
}

enum cw_status cw_platform_model_load(const char *name, int64_t dsp, struct cw_platform_model **model,
                                      struct cw_error *err)
{
    const char *text = cw_platform_builtin(name);
    struct cw_error why = {0};
    json_t *root;
    enum cw_status status;

    *model = NULL;
    if (!text && !strchr(name, '/') && access(name, F_OK) != 0)
        return cw_error_set(err, CW_ERR_IO,
                            "there is no file %s and no built-in platform of that name; built in: %s", name,
                            cw_platform_builtin_names[0]);
    status = cw_json_load(name, text, CW_PLATFORM_FORMAT, CW_PLATFORM_VERSION, &root, err);
    if (status != CW_OK)
        return status;
    *model = calloc(1, sizeof **model);
    if (!*model)
        status = cw_error_set(&why, CW_ERR_NOMEM, "out of memory");
    else
        status = read_model(root, dsp, *model, &why);
    json_decref(root);
    if (status != CW_OK) {
        cw_platform_model_destroy(*model);
        *model = NULL;
        cw_error_set(err, status, "%s: %s", name, why.text);
    }
    return status;
}

/* ---- links */

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

/* Platforms that need no file. `clweave replay --show-platform NAME` prints them as a
 * start for one's own. */

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
