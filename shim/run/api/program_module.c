/* program_module.c - programs that are made of SPIR-V modules: known by the module with the values of its
 * specialisation constants, whose text form (kernels/source/code_text.h) stands for their source. */
#include "hooks.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/source/code_text.h"
#include "../../../analyzer/kernels/source/spirv.h"
#include "../code/build_cache.h"
#include "../core/global_lock.h"
#include "../core/record.h"

/* A module that clweave reads, the caller's to free; NULL: it is none, or memory is out. */
static unsigned char *copy_of(const void *il, size_t n)
{
    unsigned char *module = cw_spirv_is(il, n) && n <= CW_SPIRV_BYTES_MAX ? malloc(n) : NULL;

    if (module)
        memcpy(module, il, n);
    if (module && cw_spirv_check(module, n, NULL) == CW_OK)
        return module;
    free(module);
    return NULL;
}

void cw_run_program_takes_module(struct cw_run_program *p)
{
    size_t n = 0;
    unsigned char *module = cw_spirv_is_text(p->source) ? cw_code_text_bytes(p->source, &n) : NULL;

    p->binary = cw_spirv_is_text(p->source);
    p->demands = p->binary && (!module || cw_spirv_demands(module, n));
    free(module);
}

void cw_run_program_is_of_module(cl_context context, cl_program program, const void *il, size_t n)
{
    unsigned char *module = program ? copy_of(il, n) : NULL;
    char *text = module ? cw_code_text(module, n) : NULL;
    struct cw_run_program *p;

    free(module);
    cw_run_global_lock_take();
    p = text ? cw_run_program_create(context, program, 0, text, NULL) : NULL;
    if (p)
        cw_run_program_takes_module(p);
    cw_run_global_lock_give();
    if (!p)
        free(text);
}

cl_program cw_run_hook_clCreateProgramWithIL(cl_context context, const void *il, size_t n, cl_int *err)
{
    cl_program program = cw_native.clCreateProgramWithIL(context, il, n, err);

    cw_run_program_is_of_module(context, program, il, n);
    return program;
}

/* The next build is of the module with that value: until then the program is of its last build. Where the
 * constant is not found, it is of no module that clweave knows. Lock held. */
static void specialise(struct cw_run_program *p, cl_uint id, size_t size, const void *value)
{
    char *text = cw_spirv_specialised(p->given ? p->given : p->source, id, value, size);

    if (!text)
        text = cw_code_text((const unsigned char *)"", 0);
    free(p->given);
    p->given = text;
    if (text)
        return;
    free(p->source); /* memory is out */
    p->source = NULL;
}

/* PoCL ends the process for a program that it has not built. */
cl_int cw_run_hook_clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t bytes,
                                                      const void *value)
{
    struct cw_run_program *p;
    cl_int err;

    cw_build_cache_make_real(program);
    cw_run_program_settle(program);
    err = cw_native.clSetProgramSpecializationConstant(program, id, bytes, value);
    cw_run_global_lock_take();
    p = err == CL_SUCCESS ? cw_run_record_find(program, CW_RUN_PROGRAM) : NULL;
    if (p && cw_spirv_is_text(p->given ? p->given : p->source))
        specialise(p, id, bytes, value);
    cw_run_global_lock_give();
    return err;
}
