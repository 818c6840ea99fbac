/* kernel_text.c - see kernel.h. */
#include "kernel.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char *text(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

static const char *argument_name(const json_t *kernel, json_int_t index)
{
    return text(json_array_get(json_object_get(kernel, "args"), (size_t)index), "name");
}

static void print_because(FILE *out, const json_t *j)
{
    const char *reason = text(j, "reason");
    if (*reason)
        fprintf(out, " (%s)", reason);
}

static void print_argument(FILE *out, const json_t *a)
{
    static const char *const sides[] = {"reads", "writes"};
    const char *mode = text(a, "mode");
    fprintf(out, "    %s %s", text(a, "type"), text(a, "name"));
    if (*mode)
        fprintf(out, ": %s", !strcmp(mode, "none") ? "not touched" : mode);
    for (int i = 0; i < 2; i++) {
        const json_t *side = json_object_get(a, sides[i]);
        if (!side)
            continue;
        fprintf(out, ", %s %s", sides[i], text(side, "answer"));
        print_because(out, side);
    }
    fputc('\n', out);
}

static void print_list(FILE *out, const json_t *list, const char *between, const char *none)
{
    size_t i;
    const json_t *s;
    if (json_array_size(list) == 0)
        fputs(none, out);
    json_array_foreach(list, i, s) fprintf(out, "%s%s", i ? between : "", json_string_value(s));
}

/* Without its conditions when `stated`: they stand above it. */
static void print_access(FILE *out, const json_t *kernel, const json_t *x, const char *indent, bool stated)
{
    const json_t *guards = stated ? NULL : json_object_get(x, "guards");
    json_int_t bytes = json_integer_value(json_object_get(x, "bytes"));
    const char *pixel = text(x, "pixel"), *operation = text(x, "operation");
    fprintf(out, "%s%s%s%s %s[%s], ", indent, stated ? "  " : "", *operation ? operation : text(x, "kind"),
            *operation && !json_is_true(json_object_get(x, "result_used")) ? " (result unused)" : "",
            argument_name(kernel, json_integer_value(json_object_get(x, "arg"))),
            *pixel ? pixel : text(x, "offset"));
    if (*pixel)
        fprintf(out, "a pixel%s",
                strcmp(text(x, "kind"), "read") ? " where the image has it" : " or its edge");
    else
        fprintf(out, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
    if (*text(x, "count"))
        fprintf(out, ", %s times, %s apart", text(x, "count"), text(x, "stride"));
    if (json_array_size(guards)) {
        fputs(", if ", out);
        print_list(out, guards, " and ", "");
    }
    if (strcmp(text(x, "kind"), "read") ||
        strcmp(text(x, "answer"), "exact")) /* of reads "at most" is meant anyway */
        fprintf(out, ": %s", text(x, "answer"));
    print_because(out, x);
    fputc('\n', out);
}

static bool same_guards(const json_t *a, const json_t *b)
{
    return a && b && json_equal(json_object_get(a, "guards"), json_object_get(b, "guards"));
}

/* Those that follow each other and happen under the same conditions stand below these. */
static void print_accesses(FILE *out, const json_t *kernel, const json_t *list, const char *indent)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *x = json_array_get(list, i), *guards = json_object_get(x, "guards");
        bool guarded = json_array_size(guards),
             first = i == 0 || !same_guards(x, json_array_get(list, i - 1));
        bool more = guarded && same_guards(x, json_array_get(list, i + 1));
        if (more && first) {
            fprintf(out, "%sif ", indent);
            print_list(out, guards, " and ", "");
            fputs(":\n", out);
        }
        print_access(out, kernel, x, indent, more || (guarded && !first));
    }
}

static void print_cut(FILE *out, const json_t *kernel, const json_t *cut, const char *indent)
{
    const char *verdict = text(cut, "verdict");
    const json_t *dim = json_object_get(cut, "dimension"), *arg = json_object_get(cut, "arg"), *m;
    size_t i;
    fprintf(out, "%s%s", indent,
            !strcmp(verdict, "any memory")   ? "for any devices, with one memory or with their own"
            : !strcmp(verdict, "one memory") ? "for devices that share one memory"
            : !strcmp(verdict, "with merge")
                ? "for devices that share one memory; for others when results are merged"
                : "not at all: it runs whole");
    if (dim)
        fprintf(out, ", along dimension %lld%s", (long long)json_integer_value(dim),
                json_is_true(json_object_get(cut, "contiguous")) ? "" : ", written parts interleaved");
    if (*text(cut, "reason")) {
        fprintf(out, "\n%sbecause %s", indent, text(cut, "reason"));
        if (arg)
            fprintf(out, ": %s", argument_name(kernel, json_integer_value(arg)));
        if (json_object_get(cut, "other_arg"))
            fprintf(out, " and %s",
                    argument_name(kernel, json_integer_value(json_object_get(cut, "other_arg"))));
    }
    fputc('\n', out);
    json_array_foreach(json_object_get(cut, "merge"), i, m)
        fprintf(out, "%smerge %s by %s%s\n", indent,
                argument_name(kernel, json_integer_value(json_object_get(m, "arg"))), text(m, "how"),
                !strcmp(text(m, "how"), "difference") ? " from what was there" : "");
    print_accesses(out, kernel, json_object_get(cut, "accesses"), "      ");
}

static void print_counts(FILE *out, const json_t *counts)
{
    const char *name, *between = "";
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)counts, name, v)
    {
        fprintf(out, "%s%.4g %s", between, json_number_value(v), name);
        between = ", ";
    }
    if (!*between)
        fputs("none", out);
}

static void print_part(FILE *out, const json_t *part)
{
    const json_t *guards = json_object_get(part, "guards");
    fputs("    ", out);
    print_counts(out, json_object_get(part, "counts"));
    if (*text(part, "loop"))
        fprintf(out, "; in each iteration of loop %s", text(part, "loop"));
    if (json_array_size(guards)) {
        fputs("; if ", out);
        print_list(out, guards, " and ", "");
    }
    fputs(json_is_true(json_object_get(part, "doubt")) ? "; at most\n" : "\n", out);
}

/* Whether a device of another vendor may help. */
static void print_exact(FILE *out, const json_t *exact)
{
    bool single = json_is_true(json_object_get(exact, "single")),
         doubles = json_is_true(json_object_get(exact, "double"));

    if (*text(exact, "reason"))
        fprintf(out, "  results on a device of another vendor may differ\n    because %s\n",
                text(exact, "reason"));
    else
        fprintf(out, "  results on a device of another vendor are the same bits%s%s%s\n",
                single || doubles ? ", where both keep denormal numbers of " : "",
                single && doubles ? "single and double"
                : single          ? "single"
                : doubles         ? "double"
                                  : "",
                single || doubles ? " precision" : "");
}

void cw_kernel_print(FILE *out, const json_t *kernel)
{
    const json_t *x, *cut = json_object_get(kernel, "cut");
    size_t i;
    fprintf(out, "kernel %s%s%s%s%s%s\n  arguments\n", text(kernel, "name"),
            json_is_true(json_object_get(kernel, "groups")) ? ", may see its work-groups" : "",
            json_is_true(json_object_get(kernel, "barriers")) ? ", with barriers" : "",
            json_is_true(json_object_get(kernel, "prints")) ? ", prints" : "",
            json_is_true(json_object_get(kernel, "other_memory")) ? ", may touch memory that is no argument's"
                                                                  : "",
            json_is_true(json_object_get(kernel, "addresses")) ? ", hands addresses on" : "");
    json_array_foreach(json_object_get(kernel, "args"), i, x) print_argument(out, x);
    fputs("  a work-item touches\n", out);
    print_accesses(out, kernel, json_object_get(kernel, "accesses"), "    ");
    if (json_array_size(json_object_get(kernel, "loops")))
        fputs("  loops\n", out);
    json_array_foreach(json_object_get(kernel, "loops"), i, x)
    {
        fprintf(out, "    %s: goes on while ", text(x, "counter"));
        print_list(out, json_object_get(x, "goes_on_while"), " and ", "something unknown holds");
        if (json_integer_value(json_object_get(x, "exits")) != 1)
            fprintf(out, ", %lld ways out", (long long)json_integer_value(json_object_get(x, "exits")));
        fputc('\n', out);
    }
    fputs(json_is_true(json_object_get(cut, "certain"))
              ? "  a launch may be cut\n"
              : "  a launch may be cut, at best (each is judged by itself),\n",
          out);
    print_cut(out, kernel, cut, "    ");
    print_exact(out, json_object_get(kernel, "exact"));
    fputs("  operations of a work-item\n", out);
    json_array_foreach(json_object_get(kernel, "operations"), i, x) print_part(out, x);
}

/* ---- one launch */

static void print_sizes(FILE *out, const json_t *list)
{
    size_t i;
    const json_t *n;
    json_array_foreach(list, i, n) fprintf(out, "%s%lld", i ? "x" : "", (long long)json_integer_value(n));
}

static void print_intervals(FILE *out, const json_t *list)
{
    enum { SHOWN = 4 };
    size_t i, n = json_array_size(list);
    const json_t *v;
    json_array_foreach(list, i, v)
    {
        if (i == SHOWN && n > SHOWN + 1) {
            fprintf(out, " ... and %zu more", n - i);
            break;
        }
        fprintf(out, " [%lld, %lld)", (long long)json_integer_value(json_array_get(v, 0)),
                (long long)json_integer_value(json_array_get(v, 1)));
    }
}

static void print_touched(FILE *out, const json_t *args)
{
    static const char *const sides[] = {"reads", "writes"};
    size_t i;
    const json_t *a;
    json_array_foreach(args, i, a) for (int k = 0; k < 2; k++)
    {
        const json_t *side = json_object_get(a, sides[k]);
        if (!side)
            continue;
        fprintf(out, "    %s: %s %s bytes", text(a, "name"), sides[k], text(side, "answer"));
        print_intervals(out, json_object_get(side, "at_most"));
        print_because(out, side);
        fputc('\n', out);
    }
}

/* Of the launch, counted exactly; nothing where it has none. */
static void print_floats(FILE *out, const json_t *floats)
{
    const char *unknown = json_string_value(json_object_get(floats, "unknown"));
    double single = json_number_value(json_object_get(floats, "single")),
           twice = json_number_value(json_object_get(floats, "double"));

    if (unknown)
        fprintf(out, "  its floating-point operations are not known: %s\n", unknown);
    else if (single + twice > 0)
        fprintf(out, "  floating-point operations of the launch: %.0f single, %.0f double\n", single, twice);
}

void cw_kernel_print_launch(FILE *out, const json_t *kernel, const json_t *launch, const json_t *result)
{
    const json_t *tile = json_array_get(json_object_get(launch, "tiles"), 0),
                 *o = json_object_get(result, "operations");
    json_int_t unknown = json_integer_value(json_object_get(o, "unknown_loops"));
    fputs("  launched with ", out);
    print_sizes(out, json_object_get(launch, "global"));
    fputs(" work-items in groups of ", out);
    print_sizes(out, json_object_get(launch, "local"));
    fputs(" it may be cut\n", out);
    print_cut(out, kernel, json_object_get(result, "cut"), "    ");
    fputs("  and its work-group ", out);
    print_sizes(out, json_object_get(tile, "first"));
    fputs(" touches\n", out);
    print_touched(out, json_object_get(json_array_get(json_object_get(result, "tiles"), 0), "args"));
    fputs("  and a work-item does on average\n    ", out);
    print_counts(out, json_object_get(o, "per_item"));
    if (unknown)
        fprintf(out, "; %lld loop%s of unknown length counted once", (long long)unknown,
                unknown == 1 ? "" : "s");
    fputs(json_is_true(json_object_get(o, "sure")) || unknown ? "\n" : "; at most, as data decides\n", out);
    print_floats(out, json_object_get(o, "floating_point"));
}
