/* macros.h - the values that the vendor's compiler gives to names that a program's source tests. */
#ifndef CW_MACROS_H
#define CW_MACROS_H

#include "../../analyzer/kernels/models/program_models.h"
#include "../door/dispatch.h"

#define CW_RUN_MACRO_DEVICES 16

/* Those that will run a program. */
struct cw_run_compilers {
    cl_device_id device[CW_RUN_MACRO_DEVICES];
    size_t n;
};

/* Adds a device, or the one that it is a part of; one whose like is there already is not added. False: too
 * many. Makes vendor queries. */
bool cw_macros_compilers_add(struct cw_run_compilers *c, cl_device_id device);

/* Names, versions and drivers of all of them; false when `size` bytes do not hold them. */
bool cw_macros_compilers_identity(const struct cw_run_compilers *c, char *text, size_t size);

/* As struct cw_models_vendor wants it; `data` is a struct cw_run_compilers. Builds a program without work in
 * a new context for each device; they must agree. Takes as long as the vendor's compiler: for the library's
 * own threads, no lock held. */
bool cw_macros_ask(void *data, const char *options, char *const *names, size_t n,
                   struct cw_macro_value *values);

#endif
