#include "lp_model.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Clp_C_Interface.h, the part that is used. CoinBigIndex is int in Debian's build, as in upstream's default.
 */
#define CLP_CALLS(X)                                                                                         \
    X(void *, newModel, (void))                                                                              \
    X(void, deleteModel, (void *))                                                                           \
    X(void, setLogLevel, (void *, int))                                                                      \
    X(void, setMaximumIterations, (void *, int))                                                             \
    X(void, loadProblem,                                                                                     \
      (void *, int, int, const int *, const int *, const double *, const double *, const double *,           \
       const double *, const double *, const double *))                                                      \
    X(int, initialDualSolve, (void *))                                                                       \
    X(int, status, (void *))                                                                                 \
    X(double *, dualRowSolution, (void *))

#if __has_include(<coin/Clp_C_Interface.h>)
#include <coin/Clp_C_Interface.h>
/* where the header is at hand the compiler compares the two */
#define X(type, name, parameters)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(Clp_##name), type parameters), #name);
CLP_CALLS(X)
#undef X
#endif

static struct {
    void *library;
    bool good;
#define X(type, name, parameters) type(*name) parameters;
    CLP_CALLS(X)
#undef X
} clp;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    clp.library = dlopen("libClp.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!clp.library)
        return;
    clp.good = true;
#define X(type, name, parameters)                                                                            \
    *(void **)(void *)&clp.name = dlsym(clp.library, "Clp_" #name);                                          \
    clp.good &= clp.name != NULL;
    CLP_CALLS(X)
#undef X
}

/* The entries column by column, as Clp takes them. */
struct columns {
    int *start, *row;
    double *value;
};

static bool by_column(const struct cw_lp *lp, struct columns *c)
{
    c->start = calloc((size_t)lp->columns + 2, sizeof *c->start);
    c->row = malloc(((size_t)lp->entries + 1) * sizeof *c->row);
    c->value = malloc(((size_t)lp->entries + 1) * sizeof *c->value);
    if (!c->start || !c->row || !c->value)
        return false;
    for (uint32_t e = 0; e < lp->entries; e++)
        c->start[lp->column[e] + 2]++;
    for (uint32_t j = 0; j < lp->columns; j++)
        c->start[j + 2] += c->start[j + 1];
    for (uint32_t i = 0; i < lp->rows; i++)
        for (uint32_t e = lp->row_start[i]; e < lp->row_start[i + 1]; e++) {
            int at = c->start[lp->column[e] + 1]++;
            c->row[at] = (int)i;
            c->value[at] = lp->value[e];
        }
    return true;
}

static void solve(const struct cw_lp *lp, const struct columns *c, int iterations, double *dual,
                  bool *finished)
{
    void *model = clp.newModel();

    clp.setLogLevel(model, 0);
    clp.loadProblem(model, (int)lp->columns, (int)lp->rows, c->start, c->row, c->value, lp->lower, lp->upper,
                    lp->cost, lp->low, lp->high);
    clp.setMaximumIterations(model, iterations);
    clp.initialDualSolve(model);
    *finished = clp.status(model) == 0;
    memcpy(dual, clp.dualRowSolution(model), lp->rows * sizeof *dual);
    clp.deleteModel(model);
}

enum cw_status cw_lp_solve(const struct cw_lp *lp, int iterations, double *dual, bool *finished,
                           struct cw_error *err)
{
    struct columns c = {NULL, NULL, NULL};
    enum cw_status status = CW_OK;

    *finished = false;
    pthread_once(&once, load);
    if (!clp.good)
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "the library libClp is not installed (coinor-libclp1)");
    if (by_column(lp, &c))
        solve(lp, &c, iterations, dual, finished);
    else
        status =
            cw_error_set(err, CW_ERR_NOMEM, "out of memory for a linear program of %u entries", lp->entries);
    free(c.start);
    free(c.row);
    free(c.value);
    return status;
}
