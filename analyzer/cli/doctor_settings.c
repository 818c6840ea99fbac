/* doctor_settings.c - variables of the environment that change the work of run. */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../plan/settings_check.h"
#include "frame/cli.h"

#define SECTION "environment"

extern char **environ;

/* Settings that take from run what it gains by. */
static const struct {
    const char *variable, *value, *effect;
} losses[] = {{"CLWEAVE_DEVICES", "none", "commands stay on the program's own devices"},
              {"CLWEAVE_LEARN", "off", "nothing is built for later runs"},
              {"CLWEAVE_FOOTPRINTS", "off", "launches are neither cut nor grouped"},
              {"CLWEAVE_SHARE", "off", "no launch is shared between devices"}};

/* The setting that a mistyped variable may stand for, or NULL. */
static const char *nearest_setting(const char *name, char text[CW_OPTION_VARIABLE_BYTES])
{
    enum { MOST = 128 };
    static char variables[MOST][CW_OPTION_VARIABLE_BYTES];
    const char *names[MOST + 1];
    size_t n = 0;

    for (; cw_option_table[n].name && n < MOST; n++)
        names[n] = cw_options_variable(&cw_option_table[n], variables[n]);
    names[n] = NULL;
    name = cw_cli_nearest(name, names);
    if (name)
        snprintf(text, CW_OPTION_VARIABLE_BYTES, "%s", name);
    return name ? text : NULL;
}

/* One CLWEAVE_ variable. */
static void look_at_setting(struct cw_doctor *d, const char *name, const char *value)
{
    char variable[CW_OPTION_VARIABLE_BYTES], mend[128];
    const struct cw_option_info *info = cw_option_table;
    struct cw_error err = {0};

    snprintf(mend, sizeof mend, "unset %s", name);
    while (info->name && strcmp(cw_options_variable(info, variable), name) != 0)
        info++;
    if (!info->name) {
        const char *nearest = nearest_setting(name, variable);

        cw_doctor_problem(d, mend, "%s is no setting%s%s%s", name, nearest ? "; did you mean " : "",
                          nearest ? nearest : "", nearest ? "?" : "");
        return;
    }
    cw_doctor_fact(d, SECTION, name, "%s", value);
    if (info->commands & CW_CMD_INTERNAL || !*value)
        return;
    if (cw_settings_check(info, value, &err) != CW_OK)
        cw_doctor_obstacle(d, mend, "%s: %s", name, err.text);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (strcmp(losses[i].variable, name) == 0 && strcmp(losses[i].value, value) == 0)
            cw_doctor_problem(d, mend, "%s is %s: %s", name, value, losses[i].effect);
}

/* The files in a list of libraries that are not there; names without a slash are the loader's to find. */
static void look_at_libraries(struct cw_doctor *d, const char *variable, const char *ends)
{
    const char *value = getenv(variable);
    char file[4096], mend[128];

    if (!value || !*value)
        return;
    cw_doctor_fact(d, SECTION, variable, "%s%s", value,
                   strstr(value, "libclweave") ? " (clweave is in every program that starts here)" : "");
    snprintf(mend, sizeof mend, "unset %s", variable);
    for (const char *p = value; *p; p += strcspn(p, ends), p += strspn(p, ends)) {
        snprintf(file, sizeof file, "%.*s", (int)strcspn(p, ends), p);
        if (strchr(file, '/') && access(file, R_OK) != 0)
            cw_doctor_problem(d, mend, "%s names %s, which is not there", variable, file);
    }
}

void cw_doctor_settings(struct cw_doctor *d)
{
    const char *devices = getenv("POCL_DEVICES");

    for (char **v = environ; v && *v; v++) {
        const char *equals = strchr(*v, '=');
        char name[CW_OPTION_VARIABLE_BYTES];

        if (!equals || (size_t)(equals - *v) >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *v), *v);
        if (strncmp(name, "CLWEAVE_", 8) == 0)
            look_at_setting(d, name, equals + 1);
        else if (strncmp(name, "POCL_", 5) == 0 || strncmp(name, "OCL_ICD_", 8) == 0)
            cw_doctor_fact(d, SECTION, name, "%s", equals + 1);
    }
    if (devices && *devices)
        cw_doctor_problem(d, "unset POCL_DEVICES", "POCL_DEVICES is set: run gets no helper devices");
    look_at_libraries(d, "LD_PRELOAD", " :");
    look_at_libraries(d, "OPENCL_LAYERS", ":");
}
