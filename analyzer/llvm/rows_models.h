/* rows_models.h - which kernels of a source have a form for rows that clang's reading of them bears out. */
#ifndef CW_FOOTPRINT_ROWS_MODELS_H
#define CW_FOOTPRINT_ROWS_MODELS_H

#include "../footprint/model.h"
#include "analyse.h"

/* Asks the rewriter for the forms of the request's source, built with its options, and holds each against clang's syntax tree
 * (rows_proof.h). Sets model[i].rows of those where it holds; of all others it stays 0, which also stands for whatever went wrong.
 * Runs clang where there is such a form. */
void cw_rows_models(const struct cw_analyse_request *request, struct cw_model *model, int n);

/* What does not hold in each form, as JSON: {"format","version","rows": [{"kernel": name, "wrong": words or null}, ...]}, a new
 * reference. NULL: out of memory. */
json_t *cw_rows_described(const struct cw_analyse_request *request);

#endif
