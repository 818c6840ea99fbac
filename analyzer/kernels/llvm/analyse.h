/* analyse.h - the whole way from a source file to JSON. */
#ifndef CW_FOOTPRINT_ANALYSE_H
#define CW_FOOTPRINT_ANALYSE_H

#include "ir.h"
#include "../footprint/model.h"

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

/* Which kernels of a source have a form for rows that clang's reading of them bears out. */

/* Asks the rewriter for the forms of the request's source, built with its options, and holds each against
 * clang's syntax tree (rows_proof.h). Sets model[i].rows of those where it holds; of all others it stays 0,
 * which also stands for every error. The function runs clang where there is such a form. */
void cw_rows_models(const struct cw_analyse_request *request, struct cw_model *model, int n);

/* The assumption that fails in each form, as JSON: {"format","version","rows": [{"kernel": name, "wrong":
 * words or null}, ...]}; *result gets a new reference. CW_ERR_IO; CW_ERR_UNSUPPORTED: the source is standard
 * input, or cannot be rewritten, with the reason; CW_ERR_NOMEM. The words quote clang's errors for a source
 * that has forms.
 * */
enum cw_status cw_rows_described(const struct cw_analyse_request *request, json_t **result,
                                 struct cw_error *err);

#endif
