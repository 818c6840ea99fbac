/* ir.h - OpenCL C source to LLVM IR in the shape that the reader wants. */
#ifndef CW_FOOTPRINT_IR_H
#define CW_FOOTPRINT_IR_H

#include "../../../sched/status.h"

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include <stdbool.h>
#include <stddef.h>

#define CW_IR_TEXT_(x) #x
#define CW_IR_TEXT(x)  CW_IR_TEXT_(x)
#define CW_IR_LLVM     CW_IR_TEXT(LLVM_VERSION_MAJOR)

/* Translates between SPIR-V and this LLVM's bitcode. */
#define CW_IR_LLVM_SPIRV "llvm-spirv-" CW_IR_LLVM

/* Runs a program and collects its output. */

struct cw_bytes {
    char *data; /* followed by a zero byte that does not count */
    size_t n, capacity;
};

struct cw_child_output {
    struct cw_bytes out, err;
    int exit_status; /* 128 + signal when it was killed */
};

/* Starts the first of `candidates` (NULL-ended, looked up in PATH) that exists, with argv (argv[0] is filled
 * in, NULL at the end); standard input is shared. Returns when it has ended. The child dies with the calling
 * thread's process. CW_ERR_NOTFOUND when none exists; CW_ERR_IO; CW_ERR_NOMEM; CW_ERR_LIMIT beyond 64 MiB of
 * output. */
enum cw_status cw_child_run(const char *const *candidates, const char **argv, struct cw_child_output *out,
                            struct cw_error *err);
void cw_child_output_finish(struct cw_child_output *out);

/* Reads from fd once; appends. 1 more may come, 0 end of file, -1 error (errno) or too much (EFBIG). */
int cw_child_read_bytes(struct cw_bytes *b, int fd);

/* The build options of an OpenCL program, checked and sorted by cw_ir_add_option. */
struct cw_ir_options {
    const char **pass; /* the options that clang gets, in order; the strings are the caller's */
    int n, capacity;
    const char *std; /* "-cl-std=CL1.2" unless an option says otherwise */
};

/* Adds one build option (its separate argument, as in "-D X", counts as an option of its own and must
 * follow). Options that cannot change a kernel's accesses are dropped. CW_ERR_UNSUPPORTED for options whose
 * meaning is not known, CW_ERR_NOMEM. */
enum cw_status cw_ir_add_option(struct cw_ir_options *o, const char *option, struct cw_error *err);
void cw_ir_options_finish(struct cw_ir_options *o);

/* The message when RLIMIT_CPU, in seconds, ends the analysis or a clang. */
#define CW_IR_NO_TIME "no answer within %ld seconds of processor time; --seconds N gives it longer"

/* Runs clang on `path` ("-" for standard input) and parses its output. The caller disposes of *module and
 * *context. CW_ERR_LIMIT: RLIMIT_CPU has ended clang; CW_ERR_NOTFOUND: there is no clang of this LLVM's
 * version (environment variable CLWEAVE_CLANG names one); CW_ERR_FORMAT: the source does not compile, the
 * message holds clang's first error; CW_ERR_IO; CW_ERR_NOMEM. */
enum cw_status cw_ir_compile(const struct cw_ir_options *o, const char *path, LLVMContextRef *context,
                             LLVMModuleRef *module, struct cw_error *err);

/* The error of a program that has refused `path`, with the first of its words that says why: CW_ERR_LIMIT
 * where its time was over, else CW_ERR_FORMAT. */
enum cw_status cw_ir_refused(const char *program, const char *path, const struct cw_child_output *out,
                             struct cw_error *err);

/* The syntax tree of `text` from clang's parser with the same options, as JSON; *tree is the caller's to
 * free. Errors as above, and CW_ERR_LIMIT for more than 64 MiB. */
enum cw_status cw_ir_syntax_tree(const struct cw_ir_options *o, const char *text, size_t length,
                                 struct cw_bytes *tree, struct cw_error *err);

/* Inlines everything, keeps values in registers, makes loops simple; every access to global or constant
 * memory of the source stays. CW_ERR_INVALID with LLVM's message. */
enum cw_status cw_ir_canonicalise(LLVMModuleRef module, struct cw_error *err);

/* The source has this load as volatile. */
bool cw_ir_is_watched(LLVMValueRef load);

/* Element `i` of a constant vector. */
LLVMValueRef cw_ir_element(LLVMValueRef vector, unsigned i);

#endif
