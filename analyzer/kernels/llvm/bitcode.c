/* bitcode.c - see access.h. */

#include "../footprint/builtin.h"
#include "../../io/text.h"
#include "../source/code_text.h"
#include "../source/pocl_binary.h"
#include "../source/spirv.h"
#include "access.h"
#include "ir.h"

#include <ctype.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SPIR_KERNEL = 76 /* llvm::CallingConv::SPIR_KERNEL */ };

bool cw_bitcode_is_kernel(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == SPIR_KERNEL && !LLVMIsDeclaration(function);
}

bool cw_bitcode_is_flat(LLVMModuleRef module)
{
    return strncmp(LLVMGetTarget(module), "spir", 4) != 0;
}

/* ---- reading */

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    (void)info;
    (void)data;
}

static LLVMModuleRef parse(LLVMContextRef context, const void *bytes, size_t n)
{
    LLVMMemoryBufferRef b = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, n, "binary");
    LLVMModuleRef module = NULL;

    if (LLVMParseBitcodeInContext2(context, b, &module))
        module = NULL;
    LLVMDisposeMemoryBuffer(b);
    return module;
}

static LLVMModuleRef parse_text(LLVMContextRef context, const char *text, size_t n)
{
    LLVMMemoryBufferRef b = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, n, "binary");
    LLVMModuleRef module = NULL;
    char *message = NULL;

    if (LLVMParseIRInContext(context, b, &module, &message)) /* takes the buffer */
        module = NULL;
    LLVMDisposeMessage(message);
    return module;
}

/* In the text that the clang of a newer LLVM writes all pointers are `ptr`, which LLVM 14 reads when it is
 * told to. Nothing has used a context by then. */
static void expect_opaque_pointers(void)
{
#if LLVM_VERSION_MAJOR < 15
    static const char *const words[] = {"clweave-footprint", "-opaque-pointers"};

    LLVMParseCommandLineOptions(2, words, NULL);
#endif
}

/* Runs the first of the programs that exists on the bytes, whose path takes the place of argv[at]. */
static enum cw_status run_on(const char *const *candidates, const char **argv, size_t at, const void *bytes,
                             size_t n, struct cw_child_output *out, struct cw_error *err)
{
    char path[64];
    int fd = memfd_create("clweave", 0); /* the program inherits it */
    enum cw_status s = CW_OK;

    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
        s = cw_error_set(err, CW_ERR_IO, "cannot hand bytes to %s", candidates[0]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    argv[at] = path;
    if (s == CW_OK)
        s = cw_child_run(candidates, argv, out, err);
    argv[at] = NULL;
    if (fd >= 0)
        close(fd);
    return s;
}

/* The bitcode as text, by the clang that Debian's PoCL depends on. */
static enum cw_status disassemble(const struct cw_pocl_binary *b, struct cw_child_output *out,
                                  struct cw_error *err)
{
    static const char *const candidates[] = {"clang-15", "clang-16", "clang-18", "clang-19", NULL};
    const char *argv[] = {NULL, "-x", "ir", "-w", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes",
                          "-o", "-",  NULL, NULL};
    enum cw_status s = run_on(candidates, argv, 10, b->bitcode, b->bitcode_bytes, out, err);

    if (s == CW_OK && out->exit_status != 0)
        s = cw_error_set(err, CW_ERR_VERSION, "no clang here reads the binary's bitcode");
    return s;
}

static LLVMContextRef create_context(void)
{
    LLVMContextRef context = LLVMContextCreate();

    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    return context;
}

static enum cw_status load(const struct cw_pocl_binary *b, LLVMContextRef *context, LLVMModuleRef *module,
                           struct cw_error *err)
{
    struct cw_child_output out = {0};
    enum cw_status s = CW_OK;

    expect_opaque_pointers();
    *context = create_context();
    *module = parse(*context, b->bitcode, b->bitcode_bytes);
    if (*module)
        return CW_OK;
    LLVMContextDispose(*context);
    *context = create_context();
    s = disassemble(b, &out, err);
    if (s == CW_OK && !(*module = parse_text(*context, out.out.data, out.out.n)))
        s = cw_error_set(err, CW_ERR_VERSION,
                         "LLVM " LLVM_VERSION_STRING " cannot read the bitcode of the binary");
    cw_child_output_finish(&out);
    if (s == CW_OK)
        return CW_OK;
    LLVMContextDispose(*context);
    *context = NULL;
    return s;
}

/* ---- what the library's functions mean */

static bool has(LLVMValueRef f, const char *attribute)
{
    return LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute,
                                         (unsigned)strlen(attribute));
}

static LLVMValueRef some_kernel(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetFirstFunction(module);

    while (f && (LLVMIsDeclaration(f) || !cw_bitcode_is_kernel(f)))
        f = LLVMGetNextFunction(f);
    return f;
}

/* PoCL compiles programs with options that its library is compiled without: 3.1 with -fno-builtin, 6.0 with
 * -mstackrealign. `kernel`: one of the program's. */
static bool is_library(LLVMValueRef f, LLVMValueRef kernel)
{
    static const char *const own[] = {"no-builtins", "stackrealign"};

    for (size_t i = 0; kernel && i < sizeof own / sizeof *own; i++)
        if (has(kernel, own[i]) && !has(f, own[i]))
            return true;
    return false;
}

static bool is_value(LLVMTypeRef t)
{
    LLVMTypeKind kind = LLVMGetTypeKind(t);

    if (kind == LLVMVectorTypeKind)
        kind = LLVMGetTypeKind(LLVMGetElementType(t));
    return kind == LLVMIntegerTypeKind || kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind ||
           kind == LLVMDoubleTypeKind;
}

/* Takes and returns numbers only. */
static bool is_of_values(LLVMValueRef f)
{
    bool is = is_value(LLVMGetReturnType(LLVMGlobalGetValueType(f)));

    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        is &= is_value(LLVMTypeOf(LLVMGetParam(f, i)));
    return is;
}

/* The mangled name of a function begins so. */
static bool is_named(const char *mangled, const char *beginning)
{
    const char *name = mangled + 2;

    if (strncmp(mangled, "_Z", 2) != 0 || !isdigit((unsigned char)*name))
        return false;
    while (isdigit((unsigned char)*name))
        name++;
    return !strncmp(name, beginning, strlen(beginning));
}

static void set_no_effect(LLVMValueRef f)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    unsigned kind = LLVMGetEnumAttributeKindForName("readnone", 8);

    if (!kind)
        kind = LLVMGetEnumAttributeKindForName("memory", 6); /* LLVM 16: memory(none) */
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(c, kind, 0));
}

static void declare(LLVMModuleRef module, LLVMValueRef f, bool no_effect)
{
    LLVMValueRef to = LLVMAddFunction(module, "", LLVMGlobalGetValueType(f));
    size_t n;
    char *name = strdup(LLVMGetValueName2(f, &n));

    LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(f));
    LLVMReplaceAllUsesWith(f, to);
    LLVMDeleteFunction(f);
    LLVMSetValueName2(to, name ? name : "", name ? strlen(name) : 0);
    free(name);
    if (no_effect)
        set_no_effect(to);
}

static void declare_library(LLVMModuleRef module)
{
    LLVMValueRef kernel = some_kernel(module);

    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        size_t n;
        const char *name = LLVMGetValueName2(f, &n);
        bool known = cw_builtin_find(name).kind != CW_BUILTIN_UNKNOWN;

        next = LLVMGetNextFunction(f);
        if (!LLVMIsDeclaration(f) && !cw_bitcode_is_kernel(f) && is_library(f, kernel) &&
            (known || (is_named(name, "_cl_") && is_of_values(f)))) /* so PoCL calls OpenCL C's */
            declare(module, f, !known);
    }
}

/* Of functions of values that llvm-spirv calls for instructions. Others of the module may have any effect. */
static void say_no_effect(LLVMModuleRef module, const void *bytes, size_t n)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (LLVMIsDeclaration(f) && is_named(name, "") && !is_named(name, "__spirv_") && is_of_values(f) &&
            cw_builtin_find(name).kind == CW_BUILTIN_UNKNOWN && !cw_spirv_imports(bytes, n, name))
            set_no_effect(f);
    }
}

/* ---- what the program assumes */

static bool may_have_flags(LLVMOpcode op)
{
    return op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMUDiv ||
           op == LLVMSDiv || op == LLVMLShr || op == LLVMAShr || op == LLVMOr;
}

static void drop_pointer_flags(LLVMValueRef v)
{
#if LLVM_VERSION_MAJOR < 19
    LLVMSetIsInBounds(v, 0);
#else
    LLVMGEPSetNoWrapFlags(v, 0);
#endif
}

/* nsw, nuw, exact, disjoint, nneg and inbounds: what a program does that breaks them is the vendor's
 * choice. */
static void drop_flags(LLVMBuilderRef builder, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef plain;

    if (op == LLVMGetElementPtr)
        drop_pointer_flags(v);
#if LLVM_VERSION_MAJOR >= 18
    if (op == LLVMZExt)
        LLVMSetNNeg(v, 0);
#endif
    if (!may_have_flags(op))
        return;
    LLVMPositionBuilderBefore(builder, v);
    plain = LLVMBuildBinOp(builder, op, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1), "");
    LLVMReplaceAllUsesWith(v, plain);
    LLVMInstructionEraseFromParent(v);
}

/* A value of which nothing is known: of a function without effects. */
static LLVMValueRef any_value(LLVMBuilderRef builder, LLVMModuleRef module, LLVMTypeRef type)
{
    LLVMTypeRef function = LLVMFunctionType(type, NULL, 0, 0);
    LLVMValueRef f = LLVMAddFunction(module, "cw_any_value", function);

    set_no_effect(f);
    return LLVMBuildCall2(builder, function, f, NULL, 0, "");
}

/* An element beyond a vector's end is any value, and no pass may conclude that the code is not reached:
 * get_local_size(3) is such an element of SPIR-V's variable. */
static void keep_element(LLVMBuilderRef builder, LLVMModuleRef module, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef index = LLVMGetOperand(v, op == LLVMExtractElement ? 1 : 2), is, chosen;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));

    if (LLVMIsAConstantInt(index) && LLVMConstIntGetZExtValue(index) < n)
        return;
    LLVMPositionBuilder(builder, LLVMGetInstructionParent(v), LLVMGetNextInstruction(v));
    is = LLVMBuildICmp(builder, LLVMIntULT, index, LLVMConstInt(LLVMTypeOf(index), n, 0), "");
    chosen = LLVMBuildSelect(builder, is, v, any_value(builder, module, LLVMTypeOf(v)), "");
    LLVMReplaceAllUsesWith(v, chosen);
    if (LLVMIsASelectInst(chosen)) /* else the index is a constant */
        LLVMSetOperand(chosen, 1, v);
}

static void drop_assumptions(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v; v = next) {
                LLVMOpcode op = LLVMGetInstructionOpcode(v);
                next = LLVMGetNextInstruction(v);
                if (op == LLVMExtractElement || op == LLVMInsertElement)
                    keep_element(builder, module, v);
                else
                    drop_flags(builder, v);
            }
    LLVMDisposeBuilder(builder);
}

/* ---- SPIR-V */

/* The module as bitcode, by llvm-spirv. It writes the functions of OpenCL C 1.2 for SPIR-V's
 * instructions: those of 2.0 leave what a compare-exchange has found in memory. */
static enum cw_status translate(unsigned char *bytes, size_t n, struct cw_child_output *out,
                                struct cw_error *err)
{
    static const char *const candidates[] = {CW_IR_LLVM_SPIRV, NULL};
    const char *argv[] = {NULL, "-r", "--spirv-target-env=CL1.2", "--spirv-gen-kernel-arg-name-md", "-o", "-",
                          NULL, NULL};
    struct cw_error own = {0};
    enum cw_status s = cw_spirv_check(bytes, n, err);

    if (s == CW_OK && !cw_spirv_rename(bytes, n))
        s = cw_error_set(err, CW_ERR_NOMEM, "out of memory for a SPIR-V module");
    if (s == CW_OK)
        s = run_on(candidates, argv, 6, bytes, n, out, &own);
    if (own.status)
        s = cw_error_set(err, s, "%s",
                         s != CW_ERR_NOTFOUND ? own.text
                                              : CW_IR_LLVM_SPIRV " reads SPIR-V and is not here: it is in "
                                                                 "Debian's package of that name");
    if (s == CW_OK && out->exit_status != 0)
        s = cw_ir_refused(CW_IR_LLVM_SPIRV, "the SPIR-V module", out, err);
    return s;
}

static enum cw_status load_spirv(unsigned char *bytes, size_t n, LLVMContextRef *context,
                                 LLVMModuleRef *module, struct cw_error *err)
{
    struct cw_child_output out = {0};
    enum cw_status s = translate(bytes, n, &out, err);

    if (s == CW_OK) {
        *context = create_context();
        *module = parse(*context, out.out.data, out.out.n);
    }
    cw_child_output_finish(&out);
    if (s != CW_OK || *module)
        return s;
    LLVMContextDispose(*context);
    *context = NULL;
    return cw_error_set(err, CW_ERR_VERSION,
                        CW_IR_LLVM_SPIRV " writes bitcode that LLVM " LLVM_VERSION_STRING " cannot read");
}

/* ---- files */

/* The bytes of the binary in the file, the caller's to free. NULL: there is none in it. */
static unsigned char *bytes_of(const struct cw_file_text *file, size_t *n)
{
    unsigned char *bytes = NULL;
    char *text;

    *n = 0;
    if (cw_spirv_is(file->text, file->length) || (file->length > 8 && !memcmp(file->text, "poclbin", 8))) {
        if ((bytes = malloc(file->length)))
            memcpy(bytes, file->text, *n = file->length);
        return bytes;
    }
    text = strndup(file->text, file->length);
    if (text)
        bytes = cw_code_text_bytes(text, n);
    free(text);
    return bytes;
}

enum cw_status cw_bitcode_read(const char *path, LLVMContextRef *context, LLVMModuleRef *module,
                               struct cw_error *err)
{
    struct cw_file_text file;
    struct cw_pocl_binary b;
    unsigned char *bytes;
    size_t n;
    enum cw_status s;

    *context = NULL;
    *module = NULL;
    if (!strcmp(path, "-") || cw_file_text_open(&file, path, NULL) != CW_OK)
        return CW_OK; /* clang's message names the fault */
    bytes = bytes_of(&file, &n);
    cw_file_text_close(&file);
    if (!bytes)
        return CW_OK;
    if (cw_spirv_is(bytes, n))
        s = load_spirv(bytes, n, context, module, err);
    else if (cw_pocl_binary_read(&b, bytes, n))
        s = load(&b, context, module, err);
    else
        s = cw_error_set(err, CW_ERR_UNSUPPORTED, "a binary of a format that is not known");
    if (s == CW_OK && cw_spirv_is(bytes, n))
        say_no_effect(*module, bytes, n);
    else if (s == CW_OK)
        declare_library(*module);
    if (s == CW_OK)
        drop_assumptions(*module);
    free(bytes);
    return s;
}
