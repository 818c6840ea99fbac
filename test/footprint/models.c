/* models MODELS.json LAUNCHES.json - evaluates launches with models that were read back, without LLVM, and
 * prints what clweave-footprint --eval prints. `models MODELS.json` reads and writes them again. */
#include "../../analyzer/kernels/footprint/evaluate.h"
#include "../../analyzer/kernels/footprint/model_file.h"
#include "../../analyzer/io/text.h"

#include <stdlib.h>
#include <string.h>

static enum cw_status find(void *context, const char *kernel, const struct cw_model **m, struct cw_error *err)
{
    *m = cw_model_set_find(context, kernel);
    return *m ? CW_OK : cw_error_set(err, CW_ERR_NOTFOUND, "there is no kernel '%s'", kernel);
}

int main(int argc, char **argv)
{
    struct cw_model_set set = {0};
    struct cw_error err = {0};
    struct cw_file_text file = {0};
    enum cw_status s = argc > 1 ? cw_file_text_open(&file, argv[1], &err)
                                : cw_error_set(&err, CW_ERR_IO, "usage: models MODELS.json [LAUNCHES.json]");

    if (s == CW_OK)
        s = cw_model_set_read(&set, argv[1], file.text, file.length, &err);
    if (s == CW_OK && argc < 3) {
        s = cw_model_write(set.model, set.n, stdout, &err);
    } else if (s == CW_OK) {
        json_t *results = json_array(), *j = json_pack("{s:o}", "results", results);
        s = cw_evaluate_file(argv[2], find, &set, false, results, &err);
        if (s == CW_OK)
            json_dumpf(j, stdout, JSON_COMPACT);
        json_decref(j);
    }
    cw_model_set_finish(&set);
    cw_file_text_close(&file);
    if (s != CW_OK)
        fprintf(stderr, "%s\n", err.text);
    return s != CW_OK;
}
