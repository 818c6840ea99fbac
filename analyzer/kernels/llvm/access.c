/* access.c - see access.h. */
#include "access_internal.h"
#include "../footprint/reason.h"
#include "access.h"
#include "../footprint/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Addresses that a kernel hands on: they become numbers, or lie in memory. */

static bool is_pointer(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

/* The one base of all that the pointer may point to; CW_BASE_UNKNOWN: there are several. */
static int base_of(struct reader *r, LLVMValueRef pointer)
{
    struct cw_places at = cw_place_lift_pointer(&r->lift, pointer);
    int base = at.n ? at.v[0].base : CW_BASE_UNKNOWN;

    for (int i = 1; i < at.n; i++)
        if (at.v[i].base != base)
            base = CW_BASE_UNKNOWN;
    return base;
}

/* The pointer may lead to a buffer: private and local memory have address spaces of their own, where a module
 * has several (events are in the private one). */
static bool is_buffer(struct reader *r, LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

    if (LLVMIsNull(pointer) || LLVMIsUndef(pointer))
        return false;
    if ((space == 0 || space == 3) && !cw_bitcode_is_flat(LLVMGetGlobalParent(r->lift.function)))
        return false;
    return base_of(r, pointer) != CW_BASE_PRIVATE;
}

static bool is_address_as_number(LLVMValueRef v)
{
    return (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMPtrToInt) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMPtrToInt);
}

/* Both pointers lie in one buffer, so that their distance and order are those of offsets. */
static bool are_of_one(struct reader *r, LLVMValueRef a, LLVMValueRef b)
{
    int base = base_of(r, a);

    return base != CW_BASE_UNKNOWN && base == base_of(r, b);
}

/* The number is used for distances within one buffer alone, or compared with such. */
static bool is_distance(struct reader *r, LLVMValueRef number)
{
    for (LLVMUseRef u = LLVMGetFirstUse(number); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u), a, b;
        LLVMOpcode op = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMRet;
        if (op != LLVMSub && op != LLVMICmp)
            return false;
        a = LLVMGetOperand(user, 0);
        b = LLVMGetOperand(user, 1);
        if (op == LLVMICmp && (LLVMIsNull(a) || LLVMIsNull(b)))
            continue;
        if (!is_address_as_number(a) || !is_address_as_number(b) ||
            !are_of_one(r, LLVMGetOperand(a, 0), LLVMGetOperand(b, 0)))
            return false;
    }
    return true;
}

/* Which of two buffers lies first differs; whether they are the same place does not. */
static bool compares(struct reader *r, LLVMValueRef v)
{
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMIntPredicate how = LLVMGetICmpPredicate(v);

    return is_pointer(LLVMTypeOf(a)) && how != LLVMIntEQ && how != LLVMIntNE && !are_of_one(r, a, b);
}

/* A pointer, or a vector or structure that may have one. */
static bool has_pointer(LLVMTypeRef t, int depth)
{
    bool found = depth > 8;

    switch (LLVMGetTypeKind(t)) {
    case LLVMPointerTypeKind:
        return true;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind:
        return found || has_pointer(LLVMGetElementType(t), depth + 1);
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t) && !found; i++)
            found = has_pointer(LLVMStructGetTypeAtIndex(t, i), depth + 1);
        return found;
    default:
        return false;
    }
}

static bool is_stored_address(struct reader *r, LLVMValueRef value)
{
    LLVMTypeRef t = LLVMTypeOf(value);

    if (LLVMIsNull(value) || LLVMIsUndef(value))
        return false;
    return is_pointer(t) ? is_buffer(r, value) : has_pointer(t, 0);
}

/* A function without effects and of no known meaning may make a number of a pointer. */
static bool asks(struct reader *r, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    size_t length;
    bool found = false;

    if (!LLVMIsAFunction(f) || !strncmp(LLVMGetValueName2(f, &length), "llvm.lifetime.", 14) ||
        cw_builtin_find(LLVMGetValueName2(f, &length)).kind != CW_BUILTIN_UNKNOWN ||
        LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && !found; i++)
        found = is_pointer(LLVMTypeOf(LLVMGetOperand(call, i))) && is_buffer(r, LLVMGetOperand(call, i));
    return found;
}

/* An operand that is a constant expression of an address. */
static bool has_constant_address(struct reader *r, LLVMValueRef v)
{
    bool found = false;

    for (int i = 0; i < LLVMGetNumOperands(v) && !found; i++) {
        LLVMValueRef x = LLVMGetOperand(v, (unsigned)i);
        found = LLVMIsAConstantExpr(x) && is_address_as_number(x) && is_buffer(r, LLVMGetOperand(x, 0));
    }
    return found;
}

/* Notes it when the instruction hands an address on (cw_model.addresses). */
static void address_read_instruction(struct reader *r, LLVMValueRef v)
{
    bool found = has_constant_address(r, v);

    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPtrToInt:
        found |= has_pointer(LLVMTypeOf(LLVMGetOperand(v, 0)), 0) &&
                 (!is_pointer(LLVMTypeOf(LLVMGetOperand(v, 0))) || is_buffer(r, LLVMGetOperand(v, 0))) &&
                 !is_distance(r, v);
        break;
    case LLVMStore:
        found |= is_stored_address(r, LLVMGetOperand(v, 0));
        break;
    case LLVMAtomicRMW:
        found |= is_stored_address(r, LLVMGetOperand(v, 1));
        break;
    case LLVMAtomicCmpXchg:
        found |= is_stored_address(r, LLVMGetOperand(v, 1)) || is_stored_address(r, LLVMGetOperand(v, 2));
        break;
    case LLVMICmp:
        found |= compares(r, v);
        break;
    case LLVMCall:
        found |= asks(r, v);
        break;
    default:
        break;
    }
    r->m->addresses |= found;
}

/* Operand `i` of the kernel's metadata `name` (kernel_arg_type and the like); NULL when absent. */
static LLVMValueRef metadata_operand(LLVMModuleRef module, LLVMValueRef kernel, const char *name, int i)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    size_t n;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(kernel, &n);
    LLVMValueRef found = NULL;
    for (unsigned k = 0; k < n; k++) {
        if (LLVMValueMetadataEntriesGetKind(all, k) !=
            LLVMGetMDKindIDInContext(c, name, (unsigned)strlen(name)))
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(c, LLVMValueMetadataEntriesGetMetadata(all, k));
        unsigned count = LLVMGetMDNodeNumOperands(node);
        LLVMValueRef *operand = calloc(count + 1, sizeof *operand);
        if (operand && (unsigned)i < count) {
            LLVMGetMDNodeOperands(node, operand);
            found = operand[i];
        }
        free(operand);
    }
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

/* The same of a string, "" when absent. */
static const char *metadata_string(LLVMModuleRef module, LLVMValueRef kernel, const char *name, int i)
{
    LLVMValueRef operand = metadata_operand(module, kernel, name, i);
    unsigned length;
    const char *s = operand ? LLVMGetMDString(operand, &length) : NULL;
    return s ? s : "";
}

/* The address space of OpenCL C that argument `i` points to. */
static unsigned space_of(LLVMModuleRef module, LLVMValueRef kernel, unsigned i)
{
    LLVMValueRef said = metadata_operand(module, kernel, "kernel_arg_addr_space", (int)i);
    if (!cw_bitcode_is_flat(module))
        return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetParam(kernel, i)));
    return said && LLVMIsAConstantInt(said) ? (unsigned)LLVMConstIntGetZExtValue(said) : 0;
}

static bool is_image(const char *type)
{
    return !strchr(type, '*') &&
           (strstr(type, "image1d_") || strstr(type, "image2d_") || strstr(type, "image3d_"));
}

static bool by_value_struct(LLVMValueRef kernel, unsigned i)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    return byval && LLVMGetEnumAttributeAtIndex(kernel, i + 1, byval);
}

static enum cw_arg_kind kind_of(LLVMModuleRef module, LLVMValueRef kernel, unsigned i, const char *type)
{
    LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(kernel, i));
    if (is_image(type))
        return CW_ARG_IMAGE;
    if (LLVMGetTypeKind(t) != LLVMPointerTypeKind)
        return !strcmp(type, "sampler_t") ? CW_ARG_OTHER : CW_ARG_SCALAR;
    if (by_value_struct(kernel, i))
        return CW_ARG_SCALAR;
    bool buffer = type[0] && type[strlen(type) - 1] == '*';
    switch (space_of(module, kernel, i)) {
    case 1:
        return buffer ? CW_ARG_GLOBAL : CW_ARG_OTHER; /* OTHER: pipes, queues */
    case 2:
        return buffer ? CW_ARG_CONSTANT : CW_ARG_OTHER;
    case 3:
        return CW_ARG_LOCAL;
    default:
        return CW_ARG_OTHER;
    }
}

static int64_t scalar_bytes(const struct reader *r, LLVMValueRef kernel, unsigned i)
{
    LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(kernel, i));
    if (by_value_struct(kernel, i))
        t = LLVMGetTypeAttributeValue(
            LLVMGetEnumAttributeAtIndex(kernel, i + 1, LLVMGetEnumAttributeKindForName("byval", 5)));
    return (int64_t)LLVMABISizeOfType(r->lift.layout, t);
}

/* A struct by value is the kernel's own copy; only when nothing can have changed it are its fields the
 * launch's. */
static bool only_loaded(LLVMValueRef pointer, int depth)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        LLVMOpcode op = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMRet;
        if (op == LLVMLoad)
            continue;
        if ((op == LLVMGetElementPtr || op == LLVMBitCast || op == LLVMAddrSpaceCast) && depth < 8 &&
            only_loaded(user, depth + 1))
            continue;
        if (op == LLVMCall && LLVMIsAMemCpyInst(user) && LLVMGetOperand(user, 1) == pointer &&
            LLVMGetOperand(user, 0) != pointer)
            continue;
        return false;
    }
    return true;
}

/* The host's calling convention may pass one argument of the program in several of the function's. */
static bool arguments_differ(LLVMModuleRef module, LLVMValueRef kernel)
{
    const char *name = "kernel_arg_addr_space";
    int n = (int)LLVMCountParams(kernel);
    return cw_bitcode_is_flat(module) && (metadata_operand(module, kernel, name, n) ||
                                          (n && !metadata_operand(module, kernel, name, n - 1)));
}

static bool read_arguments(struct reader *r, LLVMModuleRef module, LLVMValueRef kernel)
{
    struct cw_model *m = r->m;
    unsigned n = LLVMCountParams(kernel);
    m->arg = calloc(n + 1, sizeof *m->arg);
    if (!m->arg)
        return false;
    m->groups = metadata_operand(module, kernel, "reqd_work_group_size", 0); /* no other size will do */
    for (unsigned i = 0; i < n; i++) {
        struct cw_arg *a = &m->arg[m->args++];
        const char *name = metadata_string(module, kernel, "kernel_arg_name", (int)i);
        char number[16];
        snprintf(number, sizeof number, "arg%u", i);
        a->name = strdup(*name ? name : number);
        a->type = strdup(metadata_string(module, kernel, "kernel_arg_type", (int)i));
        if (!a->name || !a->type)
            return false;
        a->kind = kind_of(module, kernel, i, a->type);
        r->m->groups |= a->kind == CW_ARG_LOCAL;
        if (a->kind == CW_ARG_SCALAR)
            a->bytes = scalar_bytes(r, kernel, i);
        a->changed = by_value_struct(kernel, i) && !only_loaded(LLVMGetParam(kernel, i), 0);
        if (a->kind == CW_ARG_IMAGE) {
            const char *access = metadata_string(module, kernel, "kernel_arg_access_qual", (int)i);
            a->unknown_read = strcmp(access, "write_only") ? cw_reason_image : NULL;
            a->unknown_write = strcmp(access, "read_only") ? cw_reason_image : NULL;
            a->placed = a->placed_reads = true;
        }
    }
    if (arguments_differ(module, kernel))
        cw_model_unknown(m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_pointers);
    return true;
}

static void read_body(struct reader *r)
{
    bool variables = cw_place_has_variables(LLVMGetGlobalParent(r->lift.function)), program_scope = false;

    if (r->cfg.irreducible) {
        r->m->groups = true;
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_irreducible);
        return; /* anywhere: nothing is asked about images */
    }
    cw_guard_read_loops(r);
    for (int b = 0; b < r->cfg.n && !r->failed; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(r->cfg.block[b]); v; v = LLVMGetNextInstruction(v)) {
            cw_effect_read_instruction(r, v, b);
            address_read_instruction(r, v);
            program_scope |= variables && cw_place_names_variable(v);
        }
    cw_branch_join(r);
    cw_ops_count_in(r);
    r->m->polls = cw_poll_has_loop(r);
    if (r->lift.pointers_failed)
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_pointers);
    if (program_scope)
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_program_scope);
    if (!cw_model_fits(r->m)) {
        cw_model_clear(r->m);
        cw_model_unknown(r->m, CW_ACCESS_READ | CW_ACCESS_WRITE, cw_reason_large);
    }
}

bool cw_access_read_kernel(struct cw_model *m, LLVMModuleRef module, LLVMValueRef kernel)
{
    struct reader r = {.m = m};
    size_t length;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    if (!cw_cfg_init(&r.cfg, kernel))
        return false;
    m->loop = calloc((size_t)(unsigned)r.cfg.loops + 1, sizeof *m->loop);
    m->loops = r.cfg.loops;
    m->kernel = strdup(LLVMGetValueName2(kernel, &length));
    r.block = calloc((size_t)(unsigned)r.cfg.n + 1, sizeof *r.block);
    bool ok = m->loop && m->kernel && r.block && cw_lift_init(&r.lift, m, &r.cfg, layout, kernel);
    cw_exact_read(m, kernel);
    if (ok && read_arguments(&r, module, kernel)) {
        for (int i = 0; i < m->loops; i++)
            m->loop[i].parent = r.cfg.loop[i].parent;
        read_body(&r);
        ok = !r.failed && !r.lift.failed;
    } else {
        ok = false;
    }
    cw_lift_finish(&r.lift);
    cw_cfg_finish(&r.cfg);
    free(r.block);
    free(r.access_block);
    return ok;
}
