/* generator_table.c - the table of generators and their options. */
#include "generate.h"
#include "nearest_word.h"

#include <stdio.h>
#include <string.h>

#define CW_GENERATOR(name) extern const struct cw_generator cw_generator_##name;
#include "generate_list.inc"
#undef CW_GENERATOR

const struct cw_generator *const cw_generators[] = {
#define CW_GENERATOR(name) &cw_generator_##name,
#include "generate_list.inc"
#undef CW_GENERATOR
    NULL};

const struct cw_generate_options cw_generate_defaults = {
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help) .field = initial,
#include "generate_options.inc"
#undef CW_GENERATE_OPTION
};

enum cw_status cw_generator_find(const char *name, const struct cw_generator **generator,
                                 struct cw_error *err)
{
    const char *names[sizeof cw_generators / sizeof *cw_generators] = {0}, *near;
    char list[240] = "";

    for (size_t k = 0; cw_generators[k]; k++) {
        size_t used = strlen(list);
        if (strcmp(cw_generators[k]->name, name) == 0) {
            *generator = cw_generators[k];
            return CW_OK;
        }
        names[k] = cw_generators[k]->name;
        snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", names[k]);
    }
    near = cw_nearest_word(name, names);
    return cw_error_set(err, CW_ERR_NOTFOUND, "unknown generator \"%.60s\"%s%s%s; the generators are: %s",
                        name, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", list);
}
