/* rewrite_words.c - the words of OpenCL C that the rewriter knows (OpenCL C 3.0 specification, sections 6.1
 * to 6.15). */
#include "rewrite_state.h"

#include <string.h>

struct word_class {
    uint32_t flags;
    const char *words; /* separated by blanks */
};

static const struct word_class classes[] = {
    {CW_RW_ID, "get_global_id"}, /* an offset of the launch moves it */
    {CW_RW_ID | CW_RW_RANGE,
     "get_group_id get_num_groups get_global_size get_global_offset get_global_linear_id"},
    /* device-side enqueue: the child has an NDRange of its own; assembly */
    {CW_RW_SECRET,
     "enqueue_kernel enqueue_marker queue_t ndrange_t clk_event_t get_default_queue ndrange_1D "
     "ndrange_2D ndrange_3D get_kernel_work_group_size get_kernel_preferred_work_group_size_multiple "
     "get_kernel_max_sub_group_size_for_ndrange get_kernel_sub_group_count_for_ndrange "
     "asm __asm __asm__ "},
    /* C++; words that show parameters */
    {CW_RW_FORBIDDEN, "template namespace operator __block __COUNTER__ __INCLUDE_LEVEL__ "
                      "__has_include __has_include_next __has_embed __PRETTY_FUNCTION__"},
    /* Words of kernels in which one work-item cannot do the work of a row of them, or should not: loops that
     * may be long (work-groups are blocks that fit in cache). Its copies have other names. See
     * rewrite_rows.h. */
    {CW_RW_NO_ROWS,
     "get_group_id get_global_linear_id get_local_id get_local_size get_enqueued_local_size "
     "get_local_linear_id "
     "get_sub_group_size get_max_sub_group_size get_num_sub_groups get_enqueued_num_sub_groups "
     "get_sub_group_id "
     "get_sub_group_local_id get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask "
     "get_sub_group_le_mask "
     "get_sub_group_lt_mask barrier mem_fence read_mem_fence write_mem_fence async_work_group_copy "
     "async_work_group_strided_copy async_work_group_copy_2D2D async_work_group_copy_3D3D wait_group_events "
     "printf "
     "while do goto local __local constant __constant sampler_t event_t pipe volatile __volatile "
     "__volatile__ "
     "_Pragma get_fence to_local to_private __func__ __FUNCTION__ "
     /* PoCL 3.1 cannot load a kernel that asks for it inside of a loop of the rewriter's; names that are
      * declared, or written, in other ways than rewrite_writes.c knows; attributes before `for`; signs of
      * NaNs changed by hand (rewrite_signs.c) */
     "get_work_dim enum typedef __extension__ _Generic __builtin_choose_expr opencl_unroll_hint "
     "__builtin_astype "
     "as_float as_float2 as_float3 as_float4 as_float8 as_float16 as_double as_double2 as_double3 as_double4 "
     "as_double8 as_double16 "
     "as_half as_half2 as_half3 as_half4 as_half8 as_half16"},
    {CW_RW_LOOP, "for"}, /* but for few turns: rewrite_loops.c */
    {CW_RW_KNOWN | CW_RW_STATEMENT, "return else do case goto default __extension__ sizeof break continue"},
    {CW_RW_KNOWN | CW_RW_ATTRIBUTE,
     "__attribute__ __attribute __declspec _Pragma __kernel_exec kernel_exec _Alignas "
     "_Static_assert"},
    {CW_RW_KNOWN,
     "__builtin_huge_val __builtin_huge_valf __builtin_inf __builtin_inff __builtin_nan __builtin_nanf "
     "reqd_work_group_size work_group_size_hint vec_type_hint intel_reqd_sub_group_size opencl_unroll_hint "
     "aligned "
     "__aligned__ ext_vector_type vector_size "
     "if for while switch typeof __typeof __typeof__ __alignof__ __alignof _Alignof alignof vec_step defined "
     "offsetof "
     "__builtin_offsetof __builtin_astype __builtin_expect __builtin_unreachable __builtin_assume "
     "__builtin_types_compatible_p "
     "__builtin_shufflevector __builtin_convertvector __builtin_choose_expr __builtin_constant_p _Generic "
     "__has_attribute "
     "__has_builtin __has_feature __has_extension "
     "kernel __kernel global __global local __local constant __constant private __private generic __generic "
     "read_only "
     "__read_only write_only __write_only read_write __read_write const volatile restrict __restrict "
     "__restrict__ "
     "__const __const__ __volatile __volatile__ static extern inline __inline __inline__ register auto "
     "typedef struct union "
     "enum signed unsigned __signed __signed__ uniform pipe void bool half size_t ptrdiff_t intptr_t "
     "uintptr_t event_t "
     "sampler_t reserve_id_t double float char short int long quad complex imaginary _Bool _Complex "},
    {CW_RW_KNOWN | CW_RW_NO_ROWS,
     "__builtin_popcount __builtin_popcountl __builtin_popcountll __builtin_clz __builtin_clzl "
     "__builtin_clzll "
     "__builtin_ctz __builtin_ctzl __builtin_ctzll __builtin_ffs __builtin_ffsl __builtin_ffsll "
     "__builtin_parity __builtin_parityl __builtin_parityll __builtin_bswap16 __builtin_bswap32 "
     "__builtin_bswap64 __builtin_abs"},
    {CW_RW_KNOWN,
     "acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi "
     "erf erfc exp "
     "exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log "
     "log2 log10 "
     "log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt "
     "sin sincos "
     "sinh sinpi sqrt tan tanh tanpi tgamma trunc abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi "
     "mad_sat max min "
     "mul_hi rotate sub_sat upsample popcount mad24 mul24 degrees mix radians step smoothstep sign cross dot "
     "distance "
     "length normalize fast_distance fast_length fast_normalize isequal isnotequal isgreater isgreaterequal "
     "isless "
     "islessequal islessgreater isfinite isinf isnan isnormal isordered isunordered signbit any all "
     "bitselect select "
     "barrier mem_fence read_mem_fence write_mem_fence async_work_group_copy async_work_group_strided_copy "
     "async_work_group_copy_2D2D async_work_group_copy_3D3D wait_group_events prefetch shuffle shuffle2 "
     "printf "
     "get_local_id get_local_size get_enqueued_local_size get_local_linear_id get_work_dim "
     "get_sub_group_size "
     "get_max_sub_group_size get_num_sub_groups get_enqueued_num_sub_groups get_sub_group_id "
     "get_sub_group_local_id "
     "get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask "
     "get_sub_group_lt_mask "
     "get_fence to_global to_local to_private read_pipe write_pipe reserve_read_pipe reserve_write_pipe "
     "commit_read_pipe "
     "commit_write_pipe is_valid_reserve_id get_pipe_num_packets get_pipe_max_packets bitfield_insert "
     "bitfield_extract_signed bitfield_extract_unsigned bit_reverse dot_acc_sat dot_4x8packed_uu_uint "
     "dot_4x8packed_ss_int dot_4x8packed_us_int dot_4x8packed_su_int release_event retain_event "
     "create_user_event"},
};

/* Families: every name that begins so is a function or type of OpenCL C. */
static const char *const families[] = {
    "half_",    "native_",          "vload",       "vstore",     "atomic_",
    "atom_",    "read_image",       "write_image", "get_image_", "convert_",
    "as_",      "work_group_",      "sub_group_",  "image1d_",   "image2d_",
    "image3d_", "intel_sub_group_", "ATOMIC_",     NULL};

/* Those of them that a kernel with a form for rows may use. */
static const char *const row_families[] = {"half_", "native_", "convert_", "as_", NULL};

/* Scalars that have vectors: float4 … */
static const char *const scalars[] = {"char",  "uchar", "short",  "ushort", "int",  "uint", "long",
                                      "ulong", "float", "double", "half",   "bool", NULL};

/* Ways to the ids that are not OpenCL C: vendors' built-ins and the variables behind them. */
static const char *const secret_families[] = {
    "__builtin_", "__nvvm",       "__nv_",       "__spirv",          "__ocl",
    "__ock",      "__llvm",       "__amdgcn",    "__amdil",          "_cl_",
    "__pocl",     "_pocl",        "pocl_",       "_group_id",        "_num_groups",
    "_global_",   "__get_global", "__get_group", "__get_num_groups", "_Z",
    NULL};

/* The rewriter's own. */
static const char *const forbidden_families[] = {"__cw_", NULL};

static bool begins_with(const struct cw_rw_name *n, const char *const *list)
{
    for (; *list; list++) {
        size_t length = strlen(*list);
        if (n->length >= length && memcmp(n->text, *list, length) == 0)
            return true;
    }
    return false;
}

static bool is_vector_type(const struct cw_rw_name *n)
{
    static const char *const widths[] = {"", "2", "3", "4", "8", "16"};

    for (const char *const *s = scalars; *s; s++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            size_t base = strlen(*s), width = strlen(widths[w]);
            if (n->length == base + width && memcmp(n->text, *s, base) == 0 &&
                memcmp(n->text + base, widths[w], width) == 0)
                return true;
        }
    return false;
}

bool cw_rewrite_enter_words(struct cw_rw *s)
{
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        for (const char *w = classes[c].words; *w;) {
            size_t length = strcspn(w, " ");
            uint32_t id = cw_tokens_name_intern(&s->names, w, length);
            if (id == UINT32_MAX)
                return cw_rewrite_nomem(s);
            s->names.v[id].flags |= classes[c].flags;
            w += length + strspn(w + length, " ");
        }
    return true;
}

bool cw_rewrite_check_words(struct cw_rw *s)
{
    for (uint32_t id = 0; id < s->names.count; id++) {
        struct cw_rw_name *n = &s->names.v[id];
        if (!(n->flags & CW_RW_SEEN))
            continue;
        n->flags |=
            begins_with(n, families) ? CW_RW_FAMILY | (begins_with(n, row_families) ? 0 : CW_RW_NO_ROWS) : 0;
        n->flags |= is_vector_type(n) ? CW_RW_KNOWN : 0;
        if (!(n->flags & (CW_RW_KNOWN | CW_RW_FAMILY | CW_RW_ID)))
            n->flags |= (begins_with(n, forbidden_families) ? CW_RW_FORBIDDEN : 0) |
                        (begins_with(n, secret_families) ? CW_RW_SECRET : 0);
        s->no_rows |= cw_tokens_name_is(&s->names, id, "_Pragma");
        if (n->flags & CW_RW_FORBIDDEN)
            return cw_rewrite_refuse(s, "uses '%.*s'", CW_RW_TEXT(s, id));
    }
    return true;
}

bool cw_rewrite_refuse_secret(struct cw_rw *s)
{
    for (uint32_t id = 0; id < s->names.count; id++)
        if (s->names.v[id].flags & CW_RW_SEEN && s->names.v[id].flags & CW_RW_SECRET &&
            !(s->names.v[id].flags & CW_RW_FUNCTION))
            return cw_rewrite_refuse(s, "uses '%.*s'", CW_RW_TEXT(s, id));
    return cw_rewrite_refuse(s, "may see ids in ways that are not known");
}
