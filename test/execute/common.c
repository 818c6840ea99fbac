#include "common.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../analyzer/io/folders.h"

void maker_init(struct maker *m, bool out_of_order)
{
    int fd;
    memset(m, 0, sizeof *m);
    cw_trace_init(&m->t);
    snprintf(m->path, sizeof m->path, "%s/clweave-data.XXXXXX", cw_temporary_folder());
    fd = mkstemp(m->path);
    assert_true(fd >= 0);
    m->data = fdopen(fd, "wb");
    m->t.data_path = strdup(m->path);
    *cw_trace_push(&m->t.platforms, 1) = (struct cw_t_platform){"p", "v", "1"};
    *cw_trace_push(&m->t.devices, 1) = (struct cw_t_device){.parent = CW_NONE, .name = "no such device"};
    *cw_trace_push(&m->t.device_ids, 1) = 0;
    *cw_trace_push(&m->t.contexts, 1) = (struct cw_t_context){.devices = {0, 1}};
    *cw_trace_push(&m->t.queues, 1) =
        (struct cw_t_queue){.out_of_order = out_of_order, .properties = out_of_order};
}

void maker_finish(struct maker *m)
{
    if (m->data)
        fclose(m->data);
    unlink(m->path);
    cw_trace_finish(&m->t);
}

struct cw_blob maker_blob(struct maker *m, const void *bytes, size_t size)
{
    struct cw_blob b = {m->data_size, size};
    if (!bytes)
        return (struct cw_blob){0};
    assert_int_equal(fwrite(bytes, 1, size, m->data), size);
    m->data_size += size;
    return b;
}

uint32_t maker_bytes(struct maker *m, const void *bytes, size_t size)
{
    uint8_t *copy = cw_trace_push(&m->t.bytes, size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return (uint32_t)(m->t.bytes.count - size);
}

uint32_t maker_buffer(struct maker *m, uint64_t flags, size_t size, const void *initial, const void *final)
{
    struct cw_t_memory *o = cw_trace_push(&m->t.memory, 1);
    *o = (struct cw_t_memory){.kind = CW_MEM_BUFFER, .parent = CW_NONE, .size = size, .flags = flags};
    o->initial = maker_blob(m, initial, size);
    o->final = maker_blob(m, final, size);
    return (uint32_t)m->t.memory.count - 1;
}

uint32_t maker_program(struct maker *m, const char *source)
{
    *cw_trace_push(&m->t.programs, 1) =
        (struct cw_t_program){.source = cw_trace_strdup(&m->t, source), .options = ""};
    return (uint32_t)m->t.programs.count - 1;
}

uint32_t maker_kernel(struct maker *m, uint32_t program, const char *name, uint32_t args)
{
    *cw_trace_push(&m->t.kernels, 1) =
        (struct cw_t_kernel){.program = program, .name = name, .num_args = args};
    return (uint32_t)m->t.kernels.count - 1;
}

uint32_t maker_sampler(struct maker *m)
{
    *cw_trace_push(&m->t.samplers, 1) =
        (struct cw_t_sampler){.addressing = CL_ADDRESS_CLAMP_TO_EDGE, .filter = CL_FILTER_NEAREST};
    return (uint32_t)m->t.samplers.count - 1;
}

struct cw_command *maker_command(struct maker *m, uint32_t type)
{
    struct cw_command *c = cw_trace_push(&m->t.commands, 1);
    c->type = type;
    c->queue = type >= CW_HOST_FINISH ? CW_NONE : 0;
    c->kernel = c->transfer = CW_NONE;
    c->exec_status = 1;
    c->work_dim = 1;
    c->args.first = (uint32_t)m->t.args.count;
    c->wait_list.first = (uint32_t)m->t.waits.count;
    c->sequence = m->t.commands.count;
    for (int i = 0; i < 3; i++)
        c->global_size[i] = c->local_size[i] = 1;
    return c;
}

struct cw_t_transfer *maker_transfer(struct maker *m, uint32_t type)
{
    struct cw_command *c = maker_command(m, type);
    struct cw_t_transfer *f = cw_trace_push(&m->t.transfers, 1);
    c->transfer = (uint32_t)m->t.transfers.count - 1;
    f->src = f->dst = f->map_command = CW_NONE;
    return f;
}

uint32_t maker_launch(struct maker *m, uint32_t kernel, size_t items, size_t local)
{
    struct cw_command *c = maker_command(m, CL_COMMAND_NDRANGE_KERNEL);
    c->kernel = kernel;
    c->global_size[0] = items;
    c->local_size[0] = local ? local : 1;
    c->local_null = local == 0;
    return (uint32_t)m->t.commands.count - 1;
}

void maker_arg(struct maker *m, enum cw_arg_kind kind, uint32_t id, uint32_t size)
{
    struct cw_command *c = &m->t.commands.v[m->t.commands.count - 1];
    *cw_trace_push(&m->t.args, 1) = (struct cw_t_arg){
        .command_index = c->args.count++, .kind = kind, .memory = id, .size = size, .blob = CW_NONE};
}

void maker_arg_memory(struct maker *m, uint32_t memory)
{
    maker_arg(m, CW_ARG_MEMORY, memory, sizeof(cl_mem));
}

void maker_arg_value(struct maker *m, const void *value, uint32_t size)
{
    struct cw_t_arg *a;
    maker_arg(m, CW_ARG_VALUE, CW_NONE, size);
    a = &m->t.args.v[m->t.args.count - 1];
    if (size <= sizeof a->value) {
        memcpy(&a->value, value, size);
    } else {
        a->blob = maker_bytes(m, value, size);
    }
}

uint32_t maker_write(struct maker *m, uint32_t memory, uint64_t offset, const void *bytes, size_t size)
{
    struct cw_t_transfer *f = maker_transfer(m, CL_COMMAND_WRITE_BUFFER);
    f->dst = memory, f->dst_offset = offset, f->bytes = size;
    f->data = maker_blob(m, bytes, size);
    return (uint32_t)m->t.commands.count - 1;
}

uint32_t maker_read(struct maker *m, uint32_t memory, uint64_t offset, const void *bytes, size_t size)
{
    struct cw_t_transfer *f = maker_transfer(m, CL_COMMAND_READ_BUFFER);
    f->src = memory, f->src_offset = offset, f->bytes = size;
    f->data = maker_blob(m, bytes, size);
    return (uint32_t)m->t.commands.count - 1;
}

void maker_seal(struct maker *m)
{
    struct cw_error err = {0};
    fflush(m->data);
    if (cw_graph_build(&m->t, NULL, &err) != CW_OK)
        fail_msg("%s", err.text);
}

enum cw_status maker_run(struct maker *m, struct cw_execute_options o, struct cw_execute_report *r,
                         struct cw_error *err)
{
    enum cw_status status;
    memset(err, 0, sizeof *err);
    o.device = 0;
    status = cw_execute_run(&m->t, &o, NULL, 0, r, err);
    if (status == CW_OK || status == CW_ERR_MISMATCH)
        cw_execute_report_print(r, &m->t, stdout, false);
    else
        printf("%s: %s\n", cw_status_string(status), err->text);
    return status;
}

bool maker_has_device(void)
{
    cl_platform_id platforms[32];
    cl_uint n = 0, devices = 0;
    if (clGetPlatformIDs(32, platforms, &n) != CL_SUCCESS)
        return false;
    for (cl_uint p = 0; p < n && p < 32 && devices == 0; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &devices) != CL_SUCCESS)
            devices = 0;
    return devices > 0;
}
