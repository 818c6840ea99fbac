/* trace_sample.h - a trace that has something of everything, for the tests of readers and writers. */
#ifndef CW_TEST_TRACE_SAMPLE_H
#define CW_TEST_TRACE_SAMPLE_H

#include "trace_builder.h"

#include "../../analyzer/record/trace_write.h"

static inline void sample_objects(struct cw_trace *t)
{
    struct cw_t_memory *m;

    t->process = (struct cw_t_process){.program = "/bin/sam\"ple",
                                       .command = "sample -x \\ \t\x01",
                                       .cwd = "/",
                                       .host = "host",
                                       .pid = 42,
                                       .ppid = 1,
                                       .start_realtime_ns = 1700000000000000000u,
                                       .start_ns = 1000,
                                       .end_ns = 99000,
                                       .complete = true,
                                       .recorder_ns = 5,
                                       .calls = 77,
                                       .dropped_commands = 7,
                                       .all_calls = true,
                                       .user_events = 3,
                                       .user_events_unreleased = 1,
                                       .unused_events = 2,
                                       .events_unreleased = 1,
                                       .selection = "--from 1us",
                                       .whole_commands = 99,
                                       .selected_from_ns = 2000,
                                       .selected_to_ns = 90000,
                                       .sliced = true};
    t->platforms.v[0] = (struct cw_t_platform){"platform", "vendor", "OpenCL 3.0"};
    t->devices.v[0] = (struct cw_t_device){.parent = CW_NONE,
                                           .type = 2,
                                           .name = "device \xc3\xa9",
                                           .compute_units = 4,
                                           .global_mem_bytes = 1u << 30,
                                           .host_unified = true};
    uint32_t image = tb_buffer(t, 4096, CL_MEM_READ_WRITE);
    m = &t->memory.v[image];
    m->kind = CW_MEM_IMAGE;
    m->image_type = CL_MEM_OBJECT_IMAGE2D;
    m->width = m->height = 32;
    m->element_bytes = 4;
    m->initial = (struct cw_blob){128, 4096};
    *cw_trace_push(&t->samplers, 1) = (struct cw_t_sampler){1, 2, 3, false};
    *cw_trace_push(&t->modules, 1) = (struct cw_t_module){0x1000, 0x2000, 0, "/bin/sample"};
    t->data_path = strdup("sample.json.data");
}

static inline void sample_args(struct cw_trace *t, uint32_t id)
{
    struct cw_command *k = &t->commands.v[id];
    const struct cw_t_arg args[] = {
        {.kind = CW_ARG_MEMORY, .memory = 0, .size = 8, .blob = CW_NONE},
        {.command_index = 1,
         .kind = CW_ARG_VALUE,
         .memory = CW_NONE,
         .size = 4,
         .value = 0x3f800000,
         .blob = CW_NONE},
        {.command_index = 2, .kind = CW_ARG_VALUE, .memory = CW_NONE, .size = 16, .blob = 0},
        {.command_index = 3, .kind = CW_ARG_LOCAL, .memory = CW_NONE, .size = 256, .blob = CW_NONE},
        {.command_index = 4, .kind = CW_ARG_SAMPLER, .memory = 0, .size = 8, .blob = CW_NONE},
        {.command_index = 5, .kind = CW_ARG_MEMORY, .memory = CW_NONE, .size = 8, .blob = CW_NONE},
        {.command_index = 6, .memory = CW_NONE, .blob = CW_NONE},
    };
    tb_copy(cw_trace_push(&t->bytes, 16), "0123456789abcdef", 16);
    k->args = (struct cw_slice){(uint32_t)t->args.count, sizeof args / sizeof args[0]};
    tb_copy(cw_trace_push(&t->args, sizeof args / sizeof args[0]), args, sizeof args);
}

static inline void sample_trace(struct cw_trace *t)
{
    tb_init(t);
    uint32_t q = tb_queue(t, false), r = tb_queue(t, true), a = tb_buffer(t, 1024, 0),
             s = tb_sub_buffer(t, a, 512, 256);
    sample_objects(t);
    uint32_t p = tb_program(
        t, "/* caf\xe9 \xee\xbe\x80 \xe2\x82\xac */\nkernel void k(global float *a) { a[0] = 1; }\n");
    t->programs.v[p].options = "-DX=1";
    t->programs.v[p].source_hash = 0xfedcba9876543210u;
    t->programs.v[p].injected_for = 0x1234u;
    uint32_t kernel = tb_kernel(t, p, "k", 7);
    tb_write(t, q, a, 0, 1024);
    uint32_t launch = tb_launch(t, q, kernel, -1);
    sample_args(t, launch);
    struct cw_command *k = &t->commands.v[launch];
    k->work_dim = 2;
    k->global_size[1] = 8;
    k->local_null = true;
    k->queued_ns = 2100, k->submit_ns = 2200, k->start_ns = 2300, k->end_ns = 2900;
    k->device = 0;
    k->whole = "it is short";
    k->callsite = (struct cw_slice){(uint32_t)t->addresses.count, 2};
    cw_trace_push(&t->addresses, 2)[0] = 0x55aa;
    tb_transfer(t, CL_COMMAND_FILL_BUFFER, r, CW_NONE, 0, s, 0, 256);
    t->transfers.v[1].pattern_bytes = 4;
    t->transfers.v[1].pattern = (uint32_t)t->bytes.count;
    tb_copy(cw_trace_push(&t->bytes, 4), "\xde\xad\xbe\xef", 4);
    tb_wait(t, launch);
    tb_read(t, r, a, 0, 1024);
    t->commands.v[3].blocking = t->commands.v[3].has_event = true;
    tb_command(t, CW_HOST_FINISH, q);
    tb_command(t, 0x4321, r); /* a type of some extension */
    t->commands.v[5].status = -59;
    t->commands.v[5].thread = 3;
    t->programs.v[p].build_log = "error: \"k\"";
    *cw_trace_push(&t->calls, 1) = (struct cw_t_call){
        "clBuildProgram", 0, -11, CW_NONE, CW_NONE, CW_NONE, CW_NONE, p, CW_NONE, -1, 1100, 1900, {0, 0}};
    *cw_trace_push(&t->calls, 1) = (struct cw_t_call){"clSetKernelArg",
                                                      1,
                                                      -51,
                                                      CW_NONE,
                                                      CW_NONE,
                                                      CW_NONE,
                                                      CW_NONE,
                                                      CW_NONE,
                                                      kernel,
                                                      0,
                                                      2000,
                                                      2000,
                                                      t->commands.v[launch].callsite};
    t->queues.v[r].unreleased = t->memory.v[a].unreleased = t->programs.v[p].unreleased =
        t->kernels.v[kernel].unreleased = true;
    t->contexts.v[0].unreleased = t->samplers.v[0].unreleased = t->commands.v[3].event_unreleased = true;
    *cw_trace_push(&t->stale, 1) = (struct cw_t_stale){CW_NONE,
                                                       CW_NONE,
                                                       a,
                                                       CW_NONE,
                                                       CW_NONE,
                                                       CW_NONE,
                                                       CW_NONE,
                                                       launch,
                                                       NULL,
                                                       0,
                                                       0,
                                                       {0, 0},
                                                       t->commands.v[launch].callsite};
    *cw_trace_push(&t->stale, 1) = (struct cw_t_stale){
        CW_NONE, CW_NONE, CW_NONE,           CW_NONE, CW_NONE, kernel,
        CW_NONE, CW_NONE, "clReleaseKernel", 1,       5000,    t->commands.v[launch].callsite,
        {0, 0}};
    tb_build(t);
}

/* The trace as JSON text; the caller frees it. */
static inline char *sample_text(const struct cw_trace *t, size_t *length)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    struct cw_error err = {0};
    assert_non_null(f);
    assert_int_equal(cw_trace_write(t, f, &err), CW_OK);
    assert_int_equal(fclose(f), 0);
    return text;
}

#endif
