/* analyse.h - the whole way from a source file to JSON. */
#ifndef CW_FOOTPRINT_ANALYSE_H
#define CW_FOOTPRINT_ANALYSE_H

#include "ir.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct cw_analyse_request {
    const char *path;     /* OpenCL C, "-" for standard input */
    const char *kernel;   /* only this one; NULL: all */
    const char *launches; /* JSON file to evaluate; NULL: describe the kernels instead */
    bool models;          /* print models for others to evaluate */
    bool rows;            /* print the conditions of forms for rows that are not seen to hold */
    bool time;            /* add how long the steps took */
    struct cw_ir_options options;
};

/* *result gets a new reference. CW_ERR_NOTFOUND when `kernel` or a launch's kernel does not exist;
 * CW_ERR_FORMAT for sources and launch files; those of cw_ir_compile. */
enum cw_status cw_analyse(const struct cw_analyse_request *request, json_t **result, struct cw_error *err);

/* Writes the models of all kernels (or of `kernel`, if it exists) to `out`; see model_file.h. Nothing is
 * written before the last one has been read. Errors as above. */
enum cw_status cw_analyse_models(const struct cw_analyse_request *request, FILE *out, struct cw_error *err);

#endif
