/* builtin.c - see builtin.h. Names from the OpenCL C specification, section 6.15 "Built-in Functions". */
#include "builtin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    enum cw_builtin_kind kind;
    enum cw_expr_op op;
};

/* Exact names. */
static const struct entry exact[] = {
    {"get_global_id", CW_BUILTIN_WORK_ITEM, CW_EXPR_GLOBAL_ID},
    {"get_local_id", CW_BUILTIN_WORK_ITEM, CW_EXPR_LOCAL_ID},
    {"get_group_id", CW_BUILTIN_WORK_ITEM, CW_EXPR_GROUP_ID},
    {"get_global_size", CW_BUILTIN_WORK_ITEM, CW_EXPR_GLOBAL_SIZE},
    {"get_local_size", CW_BUILTIN_WORK_ITEM, CW_EXPR_LOCAL_SIZE},
    {"get_enqueued_local_size", CW_BUILTIN_WORK_ITEM, CW_EXPR_ENQUEUED_LOCAL_SIZE},
    {"get_num_groups", CW_BUILTIN_WORK_ITEM, CW_EXPR_NUM_GROUPS},
    {"get_global_offset", CW_BUILTIN_WORK_ITEM, CW_EXPR_GLOBAL_OFFSET},
    {"get_work_dim", CW_BUILTIN_WORK_DIM, 0},
    {"get_global_linear_id", CW_BUILTIN_GLOBAL_LINEAR_ID, 0},
    {"get_local_linear_id", CW_BUILTIN_LOCAL_LINEAR_ID, 0},
    {"min", CW_BUILTIN_MIN, 0},
    {"max", CW_BUILTIN_MAX, 0},
    {"clamp", CW_BUILTIN_CLAMP, 0},
    {"mul24", CW_BUILTIN_MUL24, 0},
    {"mad24", CW_BUILTIN_MAD24, 0},
    {"async_work_group_copy", CW_BUILTIN_COPY, 0},
    {"async_work_group_strided_copy", CW_BUILTIN_COPY_STRIDED, 0},
    {"wait_group_events", CW_BUILTIN_WAIT, 0},
    {"prefetch", CW_BUILTIN_PURE, 0},
    {"barrier", CW_BUILTIN_BARRIER, 0},
    {"work_group_barrier", CW_BUILTIN_BARRIER, 0},
    {"sub_group_barrier", CW_BUILTIN_PURE, 0},
    {"mem_fence", CW_BUILTIN_PURE, 0},
    {"read_mem_fence", CW_BUILTIN_PURE, 0},
    {"write_mem_fence", CW_BUILTIN_PURE, 0},
    {"atomic_work_item_fence", CW_BUILTIN_PURE, 0},
    {"printf", CW_BUILTIN_PRINTF, 0},
    {"get_image_width", CW_BUILTIN_IMAGE_SIZE, 0},
    {"get_image_height", CW_BUILTIN_IMAGE_SIZE, 0},
    {"get_image_depth", CW_BUILTIN_IMAGE_SIZE, 0},
    {"get_image_dim", CW_BUILTIN_IMAGE_SIZE, 0},
    {"get_image_array_size", CW_BUILTIN_IMAGE_SIZE, 0},
    {"sincos", CW_BUILTIN_OUT_POINTER, 0},
    {"fract", CW_BUILTIN_OUT_POINTER, 0},
    {"modf", CW_BUILTIN_OUT_POINTER, 0},
    {"frexp", CW_BUILTIN_OUT_POINTER, 0},
    {"remquo", CW_BUILTIN_OUT_POINTER, 0},
    {"lgamma_r", CW_BUILTIN_OUT_POINTER, 0},
};

/* Beginnings of names. */
static const struct entry prefixes[] = {
    {"read_image", CW_BUILTIN_READ_IMAGE, 0},      {"write_image", CW_BUILTIN_WRITE_IMAGE, 0},
    {"get_image_", CW_BUILTIN_IMAGE_SIZE, 0},      {"sub_group_", CW_BUILTIN_PURE, 0},
    {"work_group_", CW_BUILTIN_PURE, 0},           {"get_sub_group_", CW_BUILTIN_PURE, 0},
    {"get_num_sub_", CW_BUILTIN_PURE, 0},          {"get_max_sub_", CW_BUILTIN_PURE, 0},
    {"get_enqueued_num_sub_", CW_BUILTIN_PURE, 0},
};

/* Longer names before the names that they begin with. */
static const char *const atomics[] = {
    "atomic_flag_test_and_set",
    "atomic_flag_clear",
    "atomic_compare_exchange_strong",
    "atomic_compare_exchange_weak",
    "atomic_fetch_add",
    "atomic_fetch_sub",
    "atomic_fetch_and",
    "atomic_fetch_or",
    "atomic_fetch_xor",
    "atomic_fetch_min",
    "atomic_fetch_max",
    "atomic_exchange",
    "atomic_store",
    "atomic_load",
    "atomic_init",
    "atomic_add",
    "atomic_sub",
    "atomic_inc",
    "atomic_dec",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
    "atomic_min",
    "atomic_max",
    "atomic_xchg",
    "atomic_cmpxchg",
    "atom_add",
    "atom_sub",
    "atom_inc",
    "atom_dec",
    "atom_and",
    "atom_or",
    "atom_xor",
    "atom_min",
    "atom_max",
    "atom_xchg",
    "atom_cmpxchg",
};

const char *cw_builtin_atomic(const char *name, size_t n)
{
    static const char *const others[] = {"", "atomicrmw", "cmpxchg"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == n && !memcmp(others[i], name, n))
            return others[i];
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
        if (strlen(atomics[i]) == n && !memcmp(atomics[i], name, n))
            return atomics[i];
    return NULL;
}

/* vload4, vload_half, vload_half4, vloada_half3, vstore4, vstore_half4_rte ... */
static bool vector_access(const char *name, struct cw_builtin *b)
{
    bool store = !strncmp(name, "vstore", 6);
    if (!store && strncmp(name, "vload", 5))
        return false;
    const char *p = name + (store ? 6 : 5);
    bool aligned = *p == 'a' && !strncmp(p, "a_half", 6), half = aligned || !strncmp(p, "_half", 5);
    p += aligned ? 6 : half ? 5 : 0;
    int elements = isdigit((unsigned char)*p) ? (int)strtol(p, (char **)&p, 10) : 1;
    if ((*p && *p != '_') || (!half && elements == 1))
        return false;
    b->kind = half ? (store ? CW_BUILTIN_VSTORE_HALF : CW_BUILTIN_VLOAD_HALF)
                   : (store ? CW_BUILTIN_VSTORE : CW_BUILTIN_VLOAD);
    b->elements = elements;
    b->element_stride = aligned && elements == 3 ? 4 : elements;
    return true;
}

static void look_up(const char *name, struct cw_builtin *b)
{
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (!strcmp(name, exact[i].name)) {
            b->kind = exact[i].kind;
            b->op = exact[i].op;
            b->name = exact[i].name;
            return;
        }
    if (vector_access(name, b))
        return;
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        size_t n = strlen(atomics[i]);
        if (!strncmp(name, atomics[i], n) && (!name[n] || !strcmp(name + n, "_explicit"))) {
            b->kind = CW_BUILTIN_ATOMIC;
            b->name = atomics[i];
            return;
        }
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i].name, strlen(prefixes[i].name))) {
            b->kind = prefixes[i].kind;
            b->name = prefixes[i].name;
            return;
        }
}

struct cw_builtin cw_builtin_find(const char *mangled)
{
    struct cw_builtin b = {.kind = CW_BUILTIN_UNKNOWN, .name = "", .params = ""};
    char name[64];
    if (!strcmp(mangled, "printf")) {
        b.kind = CW_BUILTIN_PRINTF;
        return b;
    }
    if (!strcmp(mangled, "__translate_sampler_initializer")) { /* clang's, for a constant sampler */
        b.kind = CW_BUILTIN_PURE;
        return b;
    }
    if (strncmp(mangled, "_Z", 2) || !isdigit((unsigned char)mangled[2]))
        return b;
    char *rest;
    long n = strtol(mangled + 2, &rest, 10);
    if (n <= 0 || n >= (long)sizeof name || strlen(rest) < (size_t)n)
        return b;
    memcpy(name, rest, (size_t)n);
    name[n] = 0;
    if (!strncmp(name, "_cl_", 4)) /* PoCL's names */
        memmove(name, name + 4, (size_t)n - 3);
    b.params = rest + n;
    look_up(name, &b);
    const char *p = b.params; /* Dv4_i: skip to the element */
    if (p[0] == 'D' && p[1] == 'v' && strchr(p, '_'))
        p = strchr(p, '_') + 1;
    b.is_signed = *p && strchr("aslixc", *p) != NULL;
    return b;
}

bool cw_builtin_plain_name(const char *mangled, char *name, size_t size)
{
    size_t n = 0;
    if (strncmp(mangled, "_Z", 2))
        return false;
    for (mangled += 2; *mangled >= '0' && *mangled <= '9' && n < 100; mangled++)
        n = 10 * n + (size_t)(*mangled - '0');
    if (n == 0 || n >= size || strlen(mangled) < n)
        return false;
    memcpy(name, mangled, n);
    name[n] = 0;
    return true;
}

static int scalar_bytes(const char *p)
{
    switch (*p) {
    case 'c':
    case 'a':
    case 'h':
        return 1;
    case 's':
    case 't':
        return 2;
    case 'i':
    case 'j':
    case 'f':
        return 4;
    case 'l':
    case 'm':
    case 'd':
    case 'x':
    case 'y':
        return 8;
    case 'D':
        return p[1] == 'h' ? 2 : 0;
    default:
        return 0;
    }
}

/* Where the first pointer's type begins, behind its qualifiers; "" without one. */
static const char *pointee(const char *params)
{
    const char *p = strchr(params, 'P');
    if (!p)
        return "";
    for (p++; *p == 'U' || *p == 'V' || *p == 'K' || *p == 'r';) { /* U3AS1, U7_Atomic: with their length */
        if (*p++ != 'U')
            continue;
        char *end;
        long n = strtol(p, &end, 10);
        if (n <= 0 || strlen(end) < (size_t)n)
            return "";
        p = end + n;
    }
    return p;
}

enum cw_merge cw_builtin_merge(const struct cw_builtin *b)
{
    static const struct {
        const char *ending;
        enum cw_merge on_signed, on_unsigned;
    } operations[] = {
        {"_add", CW_MERGE_ADD, CW_MERGE_ADD},   {"_sub", CW_MERGE_ADD, CW_MERGE_ADD},
        {"_inc", CW_MERGE_ADD, CW_MERGE_ADD},   {"_dec", CW_MERGE_ADD, CW_MERGE_ADD},
        {"_and", CW_MERGE_AND, CW_MERGE_AND},   {"_or", CW_MERGE_OR, CW_MERGE_OR},
        {"_xor", CW_MERGE_XOR, CW_MERGE_XOR},   {"_min", CW_MERGE_SMIN, CW_MERGE_UMIN},
        {"_max", CW_MERGE_SMAX, CW_MERGE_UMAX},
    };
    const char *type = pointee(b->params), *ending = strrchr(b->name, '_');
    bool is_signed = *type && strchr("ilx", *type), is_unsigned = *type && strchr("jmy", *type);
    if (b->kind != CW_BUILTIN_ATOMIC || (!is_signed && !is_unsigned) || !ending)
        return CW_MERGE_NONE;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(ending, operations[i].ending))
            return is_signed ? operations[i].on_signed : operations[i].on_unsigned;
    return CW_MERGE_NONE;
}

int cw_builtin_pointee_bytes(const char *params)
{
    const char *p = pointee(params);
    if (!strncmp(p, "Dv", 2)) {
        char *end;
        long elements = strtol(p + 2, &end, 10);
        if (elements <= 0 || elements > 16 || *end != '_')
            return 0;
        return scalar_bytes(end + 1) * (int)(elements == 3 ? 4 : elements);
    }
    return scalar_bytes(p);
}
