/* program_link.c - programs that are compiled apart and linked.
 *
 * A compiled program is remembered with the headers that it was given. A linked program is managed as one
 * that is built of one source which means the same (kernels/source/linked_source.h), with the options of all
 * its parts; made of several, only once the models of its kernels are there: then that source is known to
 * compile. In doubt it stays native. */
#include "hooks.h"
#include "../../door/thread.h"
#include "../code/build_cache.h"
#include "../models/program_models.h"

#include <stdlib.h>

#include "../../../analyzer/kernels/source/header_files.h"
#include "../../../analyzer/kernels/source/linked_source.h"
#include "../../../analyzer/kernels/source/spirv.h"
#include "program.h"
#include "../core/global_lock.h"
#include "../core/record.h"

enum { MOST = 64 };

/* ---- compiling */

/* Copies of a source and of the headers that it is compiled with. */
struct unit {
    char *source, *header[MOST];
    cl_uint headers;
};

static const char *given(cl_program program)
{
    const struct cw_run_program *p = cw_run_record_find(program, CW_RUN_PROGRAM);
    const char *text = !p ? NULL : p->given ? p->given : p->source;

    return p && p->binary && !cw_spirv_is_text(text) ? NULL : text;
}

static void free_unit(struct unit *u)
{
    free(u->source);
    for (cl_uint i = 0; i < u->headers; i++)
        free(u->header[i]);
}

/* False: something of it is not known. */
static bool copy_unit(struct unit *u, cl_program program, cl_uint headers, const cl_program *header)
{
    const char *text;
    bool good = headers <= MOST;

    *u = (struct unit){0};
    cw_run_global_lock_take();
    text = given(program);
    good = good && text && (u->source = strdup(text));
    for (cl_uint i = 0; good && i < headers; i++) {
        text = given(header[i]);
        good = text && (u->header[i] = strdup(text));
        u->headers += good;
    }
    cw_run_global_lock_give();
    return good;
}

/* The source with its headers in it as they are now, or NULL. Reads files; lock not held. */
static char *read_unit(cl_program program, const char *options, cl_uint headers, const cl_program *header,
                       const char **names)
{
    char *text = NULL;
    struct unit u;
    bool known = copy_unit(&u, program, headers, header);

    if (known && !cw_joined_source_is_needed(u.source, options)) {
        text = u.source;
        u.source = NULL;
    } else if (known) {
        text = cw_joined_source_given(u.source, options, (const char *const *)names,
                                      (const char *const *)u.header, headers, NULL);
    }
    free_unit(&u);
    return text;
}

/* Takes over `text` and `options`; NULL: nothing is known. */
static void remember(cl_program program, char *text, char *options)
{
    struct cw_run_program *p;

    cw_run_global_lock_take();
    p = cw_run_record_find(program, CW_RUN_PROGRAM);
    if (p) {
        free(p->compiled);
        free(p->compiled_with);
        p->compiled = text;
        p->compiled_with = options;
        text = options = NULL;
    }
    cw_run_global_lock_give();
    free(text);
    free(options);
}

cl_int cw_run_hook_clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                    const char *options, cl_uint headers, const cl_program *header,
                                    const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
                                    void *data)
{
    char *copy = strdup(options ? options : ""), *before = NULL, *after = NULL;
    uint32_t number;
    cl_int err;

    cw_run_program_settle(program);
    if (!cw_build_cache_leave(program)) {
        free(copy);
        return CL_INVALID_OPERATION;
    }
    if (copy && !notify && (!headers || (header && names)) && !strstr(copy, "CLC++"))
        before = read_unit(program, copy, headers, header, names);
    number = cw_run_program_build_begins(program);
    err = cw_native.clCompileProgram(program, n, devices, options, headers, header, names, notify, data);
    if (err == CL_INVALID_OPERATION)
        cw_run_program_build_refused(program, number);
    if (before && err == CL_SUCCESS)
        after = read_unit(program, copy, headers, header, names);
    cw_exit_register(); /* as in clBuildProgram */
    if (!after || strcmp(before, after) != 0) {
        free(before);
        free(copy);
        before = copy = NULL;
    }
    free(after);
    remember(program, before, copy);
    return err;
}

/* ---- linking */

static bool is_blank(const char *options)
{
    return !options || !options[strspn(options, " \t\n")];
}

/* The source of all parts, and in *options the options of their compilation; or NULL. Their models are begun.
 * */
static char *read_parts(cl_uint n, const cl_program *programs, char **options)
{
    char *unit[MOST], *text = NULL;
    struct cw_run_program *p = NULL;
    cl_uint have = 0;

    *options = NULL;
    cw_run_global_lock_take();
    for (; n <= MOST && have < n; have++) {
        p = cw_run_record_find(programs[have], CW_RUN_PROGRAM);
        if (!p || !p->compiled || (*options && strcmp(*options, p->compiled_with) != 0))
            break;
        if (!*options && !(*options = strdup(p->compiled_with)))
            break;
        if ((n > 1 && cw_spirv_is_text(p->compiled)) || !(unit[have] = strdup(p->compiled)))
            break; /* modules are not linked here */
    }
    cw_run_global_lock_give();
    if (have == n && n)
        text = cw_linked_source((const char *const *)unit, n, *options, NULL);
    while (have)
        free(unit[--have]);
    cw_run_global_lock_take();
    p = text ? cw_run_record_find(programs[0], CW_RUN_PROGRAM) : NULL;
    if (p) /* for the store: the linked program is not there yet */
        cw_run_program_models_want(p, text, *options);
    cw_run_global_lock_give();
    return text;
}

cl_program cw_run_hook_clLinkProgram(cl_context context, cl_uint n, const cl_device_id *devices,
                                     const char *options, cl_uint parts, const cl_program *part,
                                     void(CL_CALLBACK *notify)(cl_program, void *), void *data, cl_int *err)
{
    char *with = NULL,
         *text = err && part && !notify && is_blank(options) ? read_parts(parts, part, &with) : NULL;
    cl_program program;

    for (cl_uint i = 0; part && i < parts; i++)
        cw_build_cache_make_real(part[i]);
    program = cw_native.clLinkProgram(context, n, devices, options, parts, part, notify, data, err);

    cw_exit_register();
    if (program && text && with && *err == CL_SUCCESS) {
        cw_run_program_linked(context, program, n, text, with, parts > 1);
        text = with = NULL;
    }
    free(text);
    free(with);
    return program;
}
