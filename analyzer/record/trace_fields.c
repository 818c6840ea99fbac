/* trace_fields.c - see trace_fields.h. */
#include "trace_fields.h"

#include <string.h>

static const char *const mem_kinds[] = {"buffer", "subbuffer", "image", "pipe", "svm", NULL};
static const char *const program_kinds[] = {"source", "binary", "il", "builtin", "linked", NULL};
static const char *const edge_kinds[] = {"queue", "event", "barrier", "host", "data", "path", NULL};
static const char *const move_whys[] = {"needed", "native", "room", "read", NULL};
static const char *const hazards[] = {"none", "RAW", "WAR", "WAW", NULL};

/* A row's name in its three forms, and the members of all rows. */
#define NAME(name_)           .name = name_, .key = ",\"" name_ "\":", .name_length = sizeof(name_) - 1
#define ROW(T, member, kind_) NAME(#member), .offset = offsetof(T, member), .kind = CW_F_##kind_
#define FIELD(T, member, kind_)                                                                              \
    {                                                                                                        \
        ROW(T, member, kind_)                                                                                \
    }
#define AS(T, name_, member, kind_)                                                                          \
    {                                                                                                        \
        NAME(name_), .offset = offsetof(T, member), .kind = CW_F_##kind_                                     \
    }
#define MUST(T, member, kind_)                                                                               \
    {                                                                                                        \
        ROW(T, member, kind_), .required = true                                                              \
    }
#define REF(T, member, section_)                                                                             \
    {                                                                                                        \
        ROW(T, member, REF), .section = section_                                                             \
    }
#define NAMED(T, member, kind_, names_)                                                                      \
    {                                                                                                        \
        ROW(T, member, kind_), .required = true, .names = names_                                             \
    }
#define LIST(T, member, kind_, section_)                                                                     \
    {                                                                                                        \
        ROW(T, member, kind_), .section = section_                                                           \
    }
#define END                                                                                                  \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }

#define P struct cw_t_process
static const struct cw_field process_fields[] = {FIELD(P, program, STRING),
                                                 FIELD(P, command, STRING),
                                                 FIELD(P, cwd, STRING),
                                                 FIELD(P, host, STRING),
                                                 FIELD(P, pid, U64),
                                                 FIELD(P, ppid, U64),
                                                 FIELD(P, start_realtime_ns, U64),
                                                 FIELD(P, start_ns, U64),
                                                 FIELD(P, end_ns, U64),
                                                 FIELD(P, cpu_ns, U64),
                                                 MUST(P, complete, BOOL),
                                                 FIELD(P, run_mode, BOOL),
                                                 FIELD(P, stopped_why, STRING),
                                                 FIELD(P, recorder_ns, U64),
                                                 FIELD(P, calls, U64),
                                                 FIELD(P, dropped_commands, U64),
                                                 FIELD(P, impossible_times, U64),
                                                 FIELD(P, all_calls, BOOL),
                                                 FIELD(P, times_every, U64),
                                                 FIELD(P, user_events, U64),
                                                 AS(P, "user_events_kept", user_events_unreleased, U64),
                                                 FIELD(P, unused_events, U64),
                                                 AS(P, "events_kept", events_unreleased, U64),
                                                 FIELD(P, selection, STRING),
                                                 FIELD(P, whole_commands, U64),
                                                 FIELD(P, selected_from_ns, U64),
                                                 FIELD(P, selected_to_ns, U64),
                                                 FIELD(P, sliced, BOOL),
                                                 END};
#undef P
#define P struct cw_t_platform
static const struct cw_field platform_fields[] = {MUST(P, name, STRING), FIELD(P, vendor, STRING),
                                                  FIELD(P, version, STRING), END};
#undef P
#define P struct cw_t_device
static const struct cw_field device_fields[] = {REF(P, platform, CW_S_PLATFORMS),
                                                REF(P, parent, CW_S_DEVICES),
                                                FIELD(P, type, U64),
                                                MUST(P, name, STRING),
                                                FIELD(P, version, STRING),
                                                FIELD(P, driver_version, STRING),
                                                FIELD(P, compute_units, U32),
                                                FIELD(P, max_clock_mhz, U32),
                                                FIELD(P, global_mem_bytes, U64),
                                                FIELD(P, local_mem_bytes, U64),
                                                FIELD(P, max_work_group_size, U64),
                                                FIELD(P, host_unified, BOOL),
                                                END};
#undef P
#define P struct cw_t_context
static const struct cw_field context_fields[] = {LIST(P, devices, REF_LIST, CW_S_DEVICES),
                                                 AS(P, "kept", unreleased, BOOL), END};
#undef P
#define P struct cw_t_queue
static const struct cw_field queue_fields[] = {REF(P, context, CW_S_CONTEXTS),
                                               REF(P, device, CW_S_DEVICES),
                                               FIELD(P, properties, U64),
                                               FIELD(P, out_of_order, BOOL),
                                               FIELD(P, profiling, BOOL),
                                               AS(P, "kept", unreleased, BOOL),
                                               END};
#undef P
#define P struct cw_t_memory
static const struct cw_field memory_fields[] = {NAMED(P, kind, ENUM, mem_kinds),
                                                REF(P, context, CW_S_CONTEXTS),
                                                REF(P, parent, CW_S_MEMORY),
                                                FIELD(P, offset, U64),
                                                MUST(P, size, U64),
                                                FIELD(P, flags, U64),
                                                FIELD(P, host_ptr, HEX),
                                                FIELD(P, made, U32),
                                                FIELD(P, released, U32),
                                                FIELD(P, image_type, U32),
                                                FIELD(P, channel_order, U32),
                                                FIELD(P, channel_type, U32),
                                                FIELD(P, element_bytes, U32),
                                                FIELD(P, width, U64),
                                                FIELD(P, height, U64),
                                                FIELD(P, depth, U64),
                                                FIELD(P, array_size, U64),
                                                FIELD(P, row_pitch, U64),
                                                FIELD(P, slice_pitch, U64),
                                                FIELD(P, mip_levels, U32),
                                                FIELD(P, samples, U32),
                                                FIELD(P, initial, BLOB),
                                                FIELD(P, final, BLOB),
                                                AS(P, "kept", unreleased, BOOL),
                                                END};
#undef P
#define P struct cw_t_program
static const struct cw_field program_fields[] = {NAMED(P, kind, ENUM, program_kinds),
                                                 REF(P, context, CW_S_CONTEXTS),
                                                 FIELD(P, source, STRING),
                                                 FIELD(P, options, STRING),
                                                 FIELD(P, build_log, STRING),
                                                 FIELD(P, warnings, STRING),
                                                 AS(P, "kept", unreleased, BOOL),
                                                 FIELD(P, rebuilt, BOOL),
                                                 FIELD(P, source_hash, HEX),
                                                 FIELD(P, injected_for, HEX),
                                                 FIELD(P, binary, BLOB),
                                                 FIELD(P, joined, BLOB),
                                                 LIST(P, inputs, REF_LIST, CW_S_PROGRAMS),
                                                 END};
#undef P
#define P struct cw_t_kernel
static const struct cw_field kernel_fields[] = {REF(P, program, CW_S_PROGRAMS),
                                                MUST(P, name, STRING),
                                                FIELD(P, num_args, U32),
                                                AS(P, "kept", unreleased, BOOL),
                                                FIELD(P, preferred_multiple, U32),
                                                FIELD(P, max_work_group_size, U64),
                                                FIELD(P, local_bytes, U64),
                                                FIELD(P, private_bytes, U64),
                                                END};
#undef P
#define P struct cw_t_sampler
static const struct cw_field sampler_fields[] = {FIELD(P, normalized, U32), FIELD(P, addressing, U32),
                                                 FIELD(P, filter, U32), AS(P, "kept", unreleased, BOOL), END};
#undef P
#define P struct cw_t_module
static const struct cw_field module_fields[] = {MUST(P, start, HEX), MUST(P, end, HEX),
                                                FIELD(P, file_offset, HEX), MUST(P, path, STRING), END};
#undef P
#define P struct cw_t_transfer
const struct cw_field cw_transfer_fields[] = {REF(P, src, CW_S_MEMORY),
                                              REF(P, dst, CW_S_MEMORY),
                                              FIELD(P, src_offset, U64),
                                              FIELD(P, dst_offset, U64),
                                              FIELD(P, bytes, U64),
                                              FIELD(P, src_origin, TRIPLE),
                                              FIELD(P, dst_origin, TRIPLE),
                                              FIELD(P, region, TRIPLE),
                                              FIELD(P, src_row_pitch, U64),
                                              FIELD(P, src_slice_pitch, U64),
                                              FIELD(P, dst_row_pitch, U64),
                                              FIELD(P, dst_slice_pitch, U64),
                                              FIELD(P, map_flags, U64),
                                              REF(P, map_command, CW_S_COMMANDS),
                                              FIELD(P, host_ptr, HEX),
                                              FIELD(P, pattern, PATTERN),
                                              FIELD(P, data, BLOB),
                                              FIELD(P, staged_bytes, U64),
                                              END};
#undef P
#define P struct cw_command
static const struct cw_field command_fields[] = {
    MUST(P, type, TYPE),
    FIELD(P, origin, U32),
    REF(P, queue, CW_S_QUEUES),
    FIELD(P, thread, U32),
    FIELD(P, status, I32),
    {ROW(P, exec_status, I32), .default_value = 1},
    FIELD(P, blocking, BOOL),
    FIELD(P, has_event, BOOL),
    AS(P, "event_kept", event_unreleased, BOOL),
    FIELD(P, unknown_access, BOOL),
    FIELD(P, elsewhere, BOOL),
    FIELD(P, addresses, BOOL),
    REF(P, kernel, CW_S_KERNELS),
    FIELD(P, global_size, RANGE),
    FIELD(P, local_size, LOCAL_RANGE),
    FIELD(P, global_offset, RANGE),
    FIELD(P, args, ARGS),
    {NAME("reads"), .offset = offsetof(P, accesses), .kind = CW_F_READS},
    {NAME("writes"), .offset = offsetof(P, accesses), .kind = CW_F_WRITES},
    LIST(P, wait_list, REF_LIST, CW_S_COMMANDS),
    FIELD(P, transfer, TRANSFER),
    FIELD(P, call_begin_ns, U64),
    FIELD(P, call_end_ns, U64),
    FIELD(P, queued_ns, U64),
    FIELD(P, submit_ns, U64),
    FIELD(P, start_ns, U64),
    FIELD(P, end_ns, U64),
    REF(P, device, CW_S_DEVICES),
    FIELD(P, stream, U32),
    FIELD(P, whole, STRING),
    LIST(P, callsite, HEX_LIST, 0),
    END};
#undef P
#define P struct cw_edge
static const struct cw_field edge_fields[] = {{ROW(P, from, REF), .section = CW_S_COMMANDS, .required = true},
                                              {ROW(P, to, REF), .section = CW_S_COMMANDS, .required = true},
                                              NAMED(P, kind, ENUM8, edge_kinds),
                                              {ROW(P, hazard, ENUM8), .names = hazards},
                                              REF(P, memory, CW_S_MEMORY),
                                              FIELD(P, bytes, U64),
                                              FIELD(P, unproven, BOOL),
                                              END};
#undef P

#define P struct cw_t_part
#define WHERE_AND_WHEN                                                                                       \
    {ROW(P, command, REF), .section = CW_S_COMMANDS, .required = true}, REF(P, device, CW_S_DEVICES),        \
        FIELD(P, dim, U32), FIELD(P, first_group, U64), FIELD(P, groups, U64), FIELD(P, start_ns, U64),      \
        FIELD(P, end_ns, U64)
static const struct cw_field part_fields[] = {WHERE_AND_WHEN, FIELD(P, priority_group, U32), END};
static const struct cw_field plan_fields[] = {WHERE_AND_WHEN, END};
#undef WHERE_AND_WHEN
#undef P
#define P struct cw_t_move
static const struct cw_field move_fields[] = {REF(P, command, CW_S_COMMANDS),
                                              REF(P, memory, CW_S_MEMORY),
                                              REF(P, from, CW_S_DEVICES),
                                              REF(P, to, CW_S_DEVICES),
                                              NAMED(P, why, ENUM8, move_whys),
                                              FIELD(P, offset, U64),
                                              MUST(P, bytes, U64),
                                              FIELD(P, start_ns, U64),
                                              FIELD(P, end_ns, U64),
                                              END};
#undef P

#define P struct cw_t_call
static const struct cw_field call_fields[] = {
    MUST(P, name, STRING),          FIELD(P, thread, U32),
    FIELD(P, status, I32),          REF(P, context, CW_S_CONTEXTS),
    REF(P, queue, CW_S_QUEUES),     REF(P, memory, CW_S_MEMORY),
    REF(P, sampler, CW_S_SAMPLERS), REF(P, program, CW_S_PROGRAMS),
    REF(P, kernel, CW_S_KERNELS),   {ROW(P, argument, I32), .default_value = -1},
    LIST(P, callsite, HEX_LIST, 0), FIELD(P, begin_ns, U64),
    FIELD(P, end_ns, U64),          END};
#undef P

#define P struct cw_t_stale
static const struct cw_field stale_fields[] = {REF(P, context, CW_S_CONTEXTS), REF(P, queue, CW_S_QUEUES),
                                               REF(P, memory, CW_S_MEMORY),    REF(P, sampler, CW_S_SAMPLERS),
                                               REF(P, program, CW_S_PROGRAMS), REF(P, kernel, CW_S_KERNELS),
                                               REF(P, event, CW_S_COMMANDS),   REF(P, command, CW_S_COMMANDS),
                                               FIELD(P, call, STRING),         FIELD(P, thread, U32),
                                               FIELD(P, at_ns, U64),           LIST(P, callsite, HEX_LIST, 0),
                                               LIST(P, released, HEX_LIST, 0), END};
#undef P

#define SECTION(member, fields_, has_id_)                                                                    \
    {                                                                                                        \
        .name = #member, .fields = fields_, .array = offsetof(struct cw_trace, member),                      \
        .size = sizeof *((struct cw_trace *)0)->member.v, .has_id = has_id_                                  \
    }

const struct cw_section_def cw_sections[CW_S_COUNT] = {
    [CW_S_PROCESS] = {.name = "process",
                      .fields = process_fields,
                      .array = offsetof(struct cw_trace, process),
                      .size = sizeof(struct cw_t_process)},
    [CW_S_PLATFORMS] = SECTION(platforms, platform_fields, true),
    [CW_S_DEVICES] = SECTION(devices, device_fields, true),
    [CW_S_CONTEXTS] = SECTION(contexts, context_fields, true),
    [CW_S_QUEUES] = SECTION(queues, queue_fields, true),
    [CW_S_MEMORY] = SECTION(memory, memory_fields, true),
    [CW_S_PROGRAMS] = SECTION(programs, program_fields, true),
    [CW_S_KERNELS] = SECTION(kernels, kernel_fields, true),
    [CW_S_SAMPLERS] = SECTION(samplers, sampler_fields, true),
    [CW_S_MODULES] = SECTION(modules, module_fields, false),
    [CW_S_COMMANDS] = SECTION(commands, command_fields, true),
    [CW_S_EDGES] = SECTION(edges, edge_fields, false),
    [CW_S_PARTS] = SECTION(parts, part_fields, false),
    [CW_S_PLANS] = SECTION(plans, plan_fields, false),
    [CW_S_MOVES] = SECTION(moves, move_fields, false),
    [CW_S_CALLS] = SECTION(calls, call_fields, false),
    [CW_S_STALE] = SECTION(stale, stale_fields, false),
};

/* All arrays of a trace have this shape; the element type does not matter for the count. */
typedef CW_ARRAY(char) any_array;

size_t cw_trace_section_count(const struct cw_trace *t, enum cw_section section)
{
    any_array a;

    if (section == CW_S_PROCESS)
        return 1;
    memcpy(&a, (const char *)t + cw_sections[section].array, sizeof a);
    return a.count;
}

void *cw_trace_section_element(const struct cw_trace *t, enum cw_section section, size_t i)
{
    any_array a;

    if (section == CW_S_PROCESS)
        return i == 0 ? (char *)t + cw_sections[section].array : NULL;
    memcpy(&a, (const char *)t + cw_sections[section].array, sizeof a);
    return i < a.count ? a.v + i * cw_sections[section].size : NULL;
}

void cw_trace_fields_default(const struct cw_field *fields, void *element, size_t size)
{
    memset(element, 0, size);
    for (; fields->name; fields++) {
        char *member = (char *)element + fields->offset;
        static const uint64_t ones[3] = {1, 1, 1};
        if (fields->kind == CW_F_REF || fields->kind == CW_F_TRANSFER)
            *(uint32_t *)member = CW_NONE;
        else if (fields->kind == CW_F_I32)
            *(int32_t *)member = fields->default_value;
        else if (fields->kind == CW_F_RANGE && strcmp(fields->name, "global_offset") != 0)
            memcpy(member, ones, sizeof ones);
        else if (fields->kind == CW_F_LOCAL_RANGE)
            memcpy(member, ones, sizeof ones);
    }
}
