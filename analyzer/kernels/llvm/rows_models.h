/* rows_models.h - which kernels of a source have a form for rows that clang's reading of them bears out. */
#ifndef CW_FOOTPRINT_ROWS_MODELS_H
#define CW_FOOTPRINT_ROWS_MODELS_H

#include "../footprint/model.h"
#include "analyse.h"

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
