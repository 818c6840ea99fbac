/* cmd_doctor.c - clweave doctor: can run gain on this machine, and what is in the way? */
#include "frame/cli.h"
#include "doctor.h"

#include <string.h>

struct doctor_options {
    bool json;
};

static const struct cw_cli_option options[] = {
    {"json", 0, CW_CLI_BOOL, offsetof(struct doctor_options, json), NULL, NULL, "print JSON"},
    CW_CLI_END,
};

static const char *text_of(const json_t *o, const char *name)
{
    return json_string_value(json_object_get(o, name));
}

static void print_facts(const struct cw_doctor *d)
{
    const char *section = "";
    json_t *fact;
    size_t i;

    json_array_foreach(d->facts, i, fact)
    {
        if (strcmp(section, text_of(fact, "section")) != 0)
            printf("%s%s\n", i ? "\n" : "", section = text_of(fact, "section"));
        printf("  %-18s %s\n", text_of(fact, "name"), text_of(fact, "text"));
    }
}

static void print_problems(const struct cw_doctor *d)
{
    json_t *problem;
    size_t i;

    putchar('\n');
    json_array_foreach(d->problems, i, problem)
        printf("problem: %s\n   mend: %s\n", text_of(problem, "problem"), text_of(problem, "mend"));
    if (json_array_size(d->problems))
        putchar('\n');
}

static void verdict(const struct cw_doctor *d, char *text, size_t size)
{
    char asked[100] = "";

    if (d->streamed)
        snprintf(asked, sizeof asked, "%s%u GPU%s with streams and staged transfers",
                 d->managed ? ", and " : "", d->streamed, d->streamed == 1 ? "" : "s");
    if (*d->cannot)
        snprintf(text, size, "clweave run cannot gain here: %s", d->cannot);
    else if (!d->managed)
        snprintf(text, size, "clweave run can gain here: %s", asked);
    else
        snprintf(text, size,
                 "clweave run can gain here: %u device%s of the machine and %u helper%s on %u processor%s%s",
                 d->managed, d->managed == 1 ? "" : "s", d->helpers, d->helpers == 1 ? "" : "s",
                 d->processors, d->processors == 1 ? "" : "s", asked);
}

static int run(const void *values, int argc, char **argv)
{
    const struct doctor_options *o = values;
    struct cw_doctor d = {.facts = json_array(), .problems = json_array()};
    char text[512];

    (void)argc, (void)argv;
    if (!d.facts || !d.problems) {
        cw_cli_complain("doctor: out of memory");
        return CW_EXIT_FAILURE;
    }
    cw_doctor_machine(&d);
    cw_doctor_vendors(&d);
    cw_doctor_tools(&d);
    cw_doctor_caches(&d);
    cw_doctor_settings(&d);
    verdict(&d, text, sizeof text);
    if (o->json) {
        json_t *root =
            json_pack("{s:s, s:i, s:O, s:O, s:b, s:s}", "format", "clweave-doctor", "version", 1, "facts",
                      d.facts, "problems", d.problems, "can_gain", !*d.cannot, "verdict", text);

        json_dumpf(root, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(root);
    } else {
        print_facts(&d);
        print_problems(&d);
        puts(text);
    }
    json_decref(d.facts);
    json_decref(d.problems);
    return *d.cannot ? CW_EXIT_FAILURE : CW_EXIT_OK;
}

const struct cw_command_def cw_cmd_doctor = {
    .name = "doctor",
    .summary = "say whether run can gain on this machine, and how to mend what is in the way",
    .usage = "[--json]",
    .details = "Looks at processors, limits, OpenCL's vendors and devices, the helper tools and their "
               "compilers, the caches, "
               "and the environment. Vendors are asked in a child process: a driver that crashes or hangs is "
               "named. Each "
               "finding in the way of gaining is a line `problem:` with a command to type behind `mend:`. "
               "The last line says "
               "whether run can gain here.\n\n"
               "The exit status is 0, and 1 when run cannot work at all.",
    .options = options,
    .values_size = sizeof(struct doctor_options),
    .run = run,
};
