#include "lp_bound.h"

#include <dlfcn.h>
#include <math.h>
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

void cw_lp_finish(struct cw_lp *lp)
{
    free(lp->cost);
    free(lp->lower);
    free(lp->upper);
    free(lp->low);
    free(lp->high);
    free(lp->row_start);
    free(lp->column);
    free(lp->value);
    *lp = (struct cw_lp){0};
}

/* Makes room for `count` more in an array of `size` bytes each. */
static void *grown(struct cw_lp *lp, void *array, size_t count, size_t size)
{
    void *more = realloc(array, count * size);

    if (!more)
        lp->failed = true;
    return more ? more : array;
}

uint32_t cw_lp_add_column(struct cw_lp *lp, double cost, double lower, double upper)
{
    if (lp->columns == lp->column_space) {
        uint32_t capacity = 2 * lp->column_space + 64;
        lp->cost = grown(lp, lp->cost, capacity, sizeof *lp->cost);
        lp->lower = grown(lp, lp->lower, capacity, sizeof *lp->lower);
        lp->upper = grown(lp, lp->upper, capacity, sizeof *lp->upper);
        if (lp->failed)
            return 0;
        lp->column_space = capacity;
    }
    lp->cost[lp->columns] = cost;
    lp->lower[lp->columns] = lower;
    lp->upper[lp->columns] = upper;
    return lp->columns++;
}

void cw_lp_add_row(struct cw_lp *lp, double low, double high)
{
    if (lp->rows == lp->row_space) {
        uint32_t capacity = 2 * lp->row_space + 64;
        lp->low = grown(lp, lp->low, capacity, sizeof *lp->low);
        lp->high = grown(lp, lp->high, capacity, sizeof *lp->high);
        lp->row_start = grown(lp, lp->row_start, (size_t)capacity + 1, sizeof *lp->row_start);
        if (lp->failed)
            return;
        lp->row_space = capacity;
    }
    lp->low[lp->rows] = low;
    lp->high[lp->rows] = high;
    lp->row_start[lp->rows++] = lp->entries;
    lp->row_start[lp->rows] = lp->entries;
}

void cw_lp_add_entry(struct cw_lp *lp, uint32_t column, double value)
{
    if (lp->entries == lp->entry_space) {
        uint32_t capacity = 2 * lp->entry_space + 256;
        lp->column = grown(lp, lp->column, capacity, sizeof *lp->column);
        lp->value = grown(lp, lp->value, capacity, sizeof *lp->value);
        if (!lp->failed)
            lp->entry_space = capacity;
    }
    if (lp->failed)
        return;
    lp->column[lp->entries] = column;
    lp->value[lp->entries++] = value;
    lp->row_start[lp->rows] = lp->entries;
}

/* Sum of terms, and of their sizes for the error of rounding. */
struct sum {
    double value, size;
};

static void add(struct sum *s, double term, double size)
{
    s->value += term;
    s->size += size;
}

/* y_i, or 0 where the row has no such side. */
static double usable(const struct cw_lp *lp, const double *dual, uint32_t row)
{
    double side = dual[row] > 0 ? lp->low[row] : lp->high[row];

    return isinf(side) ? 0 : dual[row];
}

double cw_lp_safe_bound(const struct cw_lp *lp, const double *dual)
{
    double *reduced = malloc((lp->columns + 1) * sizeof *reduced);
    double *size = malloc((lp->columns + 1) * sizeof *size); /* the scale of the rounding of `reduced` */
    struct sum bound = {0, 0};

    for (uint32_t j = 0; reduced && size && j < lp->columns; j++) {
        reduced[j] = lp->cost[j];
        size[j] = fabs(lp->cost[j]);
    }
    for (uint32_t i = 0; reduced && size && i < lp->rows; i++) {
        double y = usable(lp, dual, i);
        if (y == 0)
            continue;
        add(&bound, y * (y > 0 ? lp->low[i] : lp->high[i]), fabs(y * (y > 0 ? lp->low[i] : lp->high[i])));
        for (uint32_t e = lp->row_start[i]; e < lp->row_start[i + 1]; e++) {
            reduced[lp->column[e]] -= y * lp->value[e];
            size[lp->column[e]] += fabs(y * lp->value[e]);
        }
    }
    for (uint32_t j = 0; reduced && size && j < lp->columns; j++) {
        double worst = fmax(fabs(lp->lower[j]), fabs(lp->upper[j]));
        add(&bound, fmin(reduced[j] * lp->lower[j], reduced[j] * lp->upper[j]), size[j] * worst);
    }
    if (!reduced || !size || !isfinite(bound.value) || !isfinite(bound.size))
        bound.value = -INFINITY;
    free(reduced);
    free(size);
    /* a sum of n terms is off by less than n units in the last place of the sum of sizes */
    return bound.value - bound.size * 0x1p-52 * (2 + (double)lp->rows + (double)lp->columns);
}
