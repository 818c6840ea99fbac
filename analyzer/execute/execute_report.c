/* execute_report.c - the options and the report of replay --execute. */
#include "execute_state.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const order_names[] = {"trace", "plan", "random"};

/* A whole decimal number up to `most`; `end` receives the text behind it. */
static bool number(const char *text, uint64_t most, uint64_t *value, const char **end)
{
    char *stop;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &stop, 10);
    *end = stop;
    return errno == 0 && *value <= most;
}

static bool whole_number(const char *text, uint64_t most, uint64_t *value)
{
    const char *end;
    return number(text, most, value, &end) && *end == '\0';
}

enum cw_status cw_execute_parse_order(struct cw_execute_options *o, const char *text, struct cw_error *err)
{
    uint64_t from = 0, to = 0;
    const char *end;
    for (size_t i = 0; i < sizeof order_names / sizeof *order_names; i++)
        if (!strcmp(text, order_names[i])) {
            o->order = (enum cw_execute_order)i;
            return CW_OK;
        }
    o->drop = true;
    o->order = CW_EXECUTE_RANDOM;
    o->drop_auto = !strcmp(text, "drop:auto");
    if (!o->drop_auto && (strncmp(text, "drop:", 5) || !number(text + 5, CW_NONE - 1, &from, &end) ||
                          *end != ':' || !whole_number(end + 1, CW_NONE - 1, &to)))
        return cw_error_set(err, CW_ERR_INVALID,
                            "--order %s: expected trace|plan|random, drop:auto or drop:FROM:TO", text);
    o->drop_from = (uint32_t)from;
    o->drop_to = (uint32_t)to;
    return CW_OK;
}

void cw_execute_parse_on(struct cw_execute_options *o, const char *text)
{
    uint64_t n;
    if (whole_number(text, 1000, &n))
        o->device = (int)n;
    else
        o->on = text;
}

static json_t *difference_json(const struct cw_execute_difference *d)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "what", d->is_memory ? "memory" : "readback",
                     "id", (json_int_t)d->id, "first_offset", (json_int_t)d->first_offset, "bytes",
                     (json_int_t)d->bytes, "expected", (json_int_t)d->expected, "got", (json_int_t)d->got,
                     "last_writer", d->last_writer == CW_NONE ? json_null() : json_integer(d->last_writer));
}

static json_t *report_json(const struct cw_execute_report *r)
{
    json_t *list = json_array();
    json_t *dropped = r->dropped_from == CW_NONE
                          ? json_null()
                          : json_pack("[I, I]", (json_int_t)r->dropped_from, (json_int_t)r->dropped_to);
    for (uint64_t i = 0; i < r->difference_count && i < CW_EXECUTE_DIFFERENCES; i++)
        if (json_array_append_new(list, difference_json(&r->differences[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    /* a NULL for an `o` makes json_pack fail and release the rest */
    return json_pack(
        "{s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I,"
        " s:o, s:I, s:o, s:f}",
        "equal", r->difference_count == 0, "order", order_names[r->options.order], "device", r->device,
        "seed", (json_int_t)r->options.seed, "orders", (json_int_t)r->orders, "distinct_orders",
        (json_int_t)r->distinct_orders, "commands", (json_int_t)r->commands, "skipped",
        (json_int_t)r->skipped, "buffers", (json_int_t)r->buffers, "readbacks", (json_int_t)r->readbacks,
        "uncaptured", (json_int_t)r->uncaptured, "uncaptured_buffers", (json_int_t)r->uncaptured_buffers,
        "bytes", (json_int_t)r->bytes, "undefined_bytes", (json_int_t)r->undefined_bytes, "address_bytes",
        (json_int_t)r->address_bytes, "edges_tried", (json_int_t)r->edges_tried, "dropped_edge", dropped,
        "difference_count", (json_int_t)r->difference_count, "differences", list, "seconds", r->seconds);
}

/* "1 buffer", "2 buffers" */
static void print_count(FILE *out, const char *before, uint64_t n, const char *what)
{
    fprintf(out, "%s%" PRIu64 " %s%s", before, n, what, n == 1 ? "" : "s");
}

static void print_orders(const struct cw_execute_report *r, FILE *out)
{
    if (r->options.order == CW_EXECUTE_RANDOM && r->orders) {
        print_count(out, "", r->orders, "random order");
        fprintf(out, " (%" PRIu64 " different, seeds %" PRIu64 "..%" PRIu64 ")", r->distinct_orders,
                r->options.seed, r->options.seed + r->orders - 1);
    } else if (r->options.order == CW_EXECUTE_PLAN && r->orders)
        fprintf(out, "the plan's order");
    else
        fprintf(out, "trace order");
}

static void print_summary(const struct cw_execute_report *r, FILE *out)
{
    const char *equal = r->uncaptured_buffers ? "bit-identical where captured: " : "bit-identical: ";

    print_count(out, r->difference_count ? "results differ: " : equal, r->commands, "command");
    fprintf(out, " in ");
    print_orders(r, out);
    fprintf(out, " on %s", r->device);
    print_count(out, "; ", r->buffers, "buffer");
    print_count(out, " and ", r->readbacks, "read-back");
    print_count(out, " compared, ", r->bytes, "byte");
    if (r->undefined_bytes)
        print_count(out, "; left out because the program never defined them: ", r->undefined_bytes, "byte");
    if (r->address_bytes)
        print_count(out, "; left out because they may be addresses: ", r->address_bytes, "byte");
    if (r->uncaptured)
        print_count(out, "; not compared, as it was overwritten or under way: ", r->uncaptured, "read-back");
    if (r->uncaptured_buffers)
        print_count(out, "; not compared, as its end was not captured: ", r->uncaptured_buffers, "buffer");
    if (r->skipped)
        print_count(out, "; never ran in the trace: ", r->skipped, "command");
    if (r->dropped_from != CW_NONE && r->difference_count)
        fprintf(out, "; left out: the edge from command %" PRIu32 " to %" PRIu32, r->dropped_from,
                r->dropped_to);
    else if (r->options.drop)
        print_count(out, "; left out one by one without a difference: ", r->edges_tried, "edge");
    fprintf(out, "; %.1f s\n", r->seconds);
}

enum cw_status cw_execute_report_print(const struct cw_execute_report *r, const struct cw_trace *t, FILE *out,
                                       bool json)
{
    char text[400];
    if (json) {
        json_t *object = report_json(r);
        int written = object ? json_dumpf(object, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : -1;
        json_decref(object);
        if (!object)
            return CW_ERR_NOMEM;
        fputc('\n', out);
        return written != 0 || ferror(out) ? CW_ERR_IO : CW_OK;
    }
    print_summary(r, out);
    for (uint64_t i = 0; i < r->difference_count && i < CW_EXECUTE_DIFFERENCES; i++)
        fprintf(out, "  %s\n", cw_execute_difference_text(t, &r->differences[i], text, sizeof text));
    if (r->difference_count > CW_EXECUTE_DIFFERENCES)
        fprintf(out, "  and %" PRIu64 " more\n", r->difference_count - CW_EXECUTE_DIFFERENCES);
    return ferror(out) ? CW_ERR_IO : CW_OK;
}
