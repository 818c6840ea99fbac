/* access.c - see access.h. */
#include "access_internal.h"

#include "../footprint/reason.h"
#include "access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPIR_KERNEL = 76 /* llvm::CallingConv::SPIR_KERNEL */ };

bool cw_access_is_kernel(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == SPIR_KERNEL && !LLVMIsDeclaration(function);
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
            a->placed = a->unknown_write != NULL;
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
            cw_address_read_instruction(r, v);
            program_scope |= variables && cw_place_names_variable(v);
        }
    for (int i = 0; i < r->m->args && r->unplaced; i++)
        r->m->arg[i].placed = false;
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
