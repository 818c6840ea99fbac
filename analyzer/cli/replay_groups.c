/* replay_groups.c - see plan_source.h. */
#include "plan_source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../explain/draw/gantt.h"
#include "../io/json_out.h"
#include "../plan/tile_steps.h"
#include "frame/cli.h"
#include "traces.h"
#include "../../sched/whole.h"

enum { WORKERS = 2, ORDERS = 3, CACHE_UNKNOWN_MIB = 8, TILES = 128 };

/* One order of all chains. */
struct order {
    const char *name, *title;
    enum cw_groups_rule rule;
    struct cw_groups shown; /* the chain with most tiles, and its figures */
    uint64_t fetched, written, largest;
    uint64_t groups, blocks;
    uint64_t accessed, grouped; /* bytes: of all accesses; of all groups, each once a group */
};

struct study {
    const struct cw_replay_groups_options *o;
    struct cw_plan_source *source;
    struct cw_tile_steps x;
    struct order order[ORDERS];  /* first program order, then by rule */
    uint32_t orders, first, end; /* the chain with most tiles: steps [first, end) */
    struct cw_error *err;
};

/* Sets the option "NAME=VALUE"; changes `item`. */
static enum cw_status set_option(struct cw_replay_groups_options *o, char *item, struct cw_error *err)
{
    static const char units[] = "KMGT";
    struct {
        const char *name;
        uint64_t *to, most;
    } all[] = {{"height", &o->height, 1 << 20},
               {"width", &o->width, 1 << 20},
               {"tiles", &o->tiles, 1 << 20},
               {"dims", &o->dims, CW_GROUPS_DIMS},
               {"cache", &o->cache, UINT64_C(1) << 60}};
    enum { COUNT = sizeof all / sizeof *all };
    char *word = item + strcspn(item, "="), *end;
    const char *unit;
    double value;
    size_t k = 0;

    if (*word)
        *word++ = '\0';
    while (k < COUNT && strcmp(item, all[k].name) != 0)
        k++;
    if (k == COUNT)
        return cw_error_set(err, CW_ERR_INVALID,
                            "replay: groups has no option \"%s\"; it takes height, width, tiles, dims, cache",
                            item);
    value = strtod(word, &end);
    unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit)
        value *= (double)(UINT64_C(1024) << (10 * (unit - units))), end++;
    if (end == word || *end || !(value >= 1) || value > (double)all[k].most)
        return cw_error_set(err, CW_ERR_INVALID,
                            "replay: groups:%s takes a number from 1 to %" PRIu64
                            " (also with K, M, G or T), not \"%s\"",
                            item, all[k].most, word);
    *all[k].to = cw_whole_from(value, all[k].most);
    return CW_OK;
}

enum cw_status cw_replay_groups_parse(const char *text, struct cw_replay_groups_options *o,
                                      struct cw_error *err)
{
    long half = sysconf(_SC_LEVEL3_CACHE_SIZE) / 2;
    char *copy = strdup(text), *save = NULL;
    enum cw_status status = copy ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    o->tiles = TILES, o->dims = 1;
    o->cache = half > 0 ? (uint64_t)half : (uint64_t)CACHE_UNKNOWN_MIB << 20;
    for (char *item = copy ? strtok_r(copy, ",", &save) : NULL; item && status == CW_OK;
         item = strtok_r(NULL, ",", &save))
        status = set_option(o, item, err);
    free(copy);
    if (status == CW_OK && o->reuse != -1 && !(o->reuse > 0))
        return cw_error_set(err, CW_ERR_INVALID, "replay: --group-reuse takes a number above 0");
    return status;
}

/* ---- the study */

static uint32_t tiles_between(const struct cw_tile_steps *x, uint32_t first, uint32_t end)
{
    uint32_t n = 0;

    for (uint32_t s = first; s < end; s++)
        n += x->step[s].tiles;
    return n;
}

static enum cw_status order_chain(struct study *y, struct order *r, uint32_t first, uint32_t end)
{
    struct cw_groups_options o = {.rule = r->rule,
                                  .workers = WORKERS,
                                  .height = (uint32_t)y->o->height,
                                  .width = (uint32_t)y->o->width,
                                  .cache_bytes = y->o->cache,
                                  .reuse = y->o->reuse > 0 ? y->o->reuse : 0};
    struct cw_groups g;
    enum cw_status status = cw_groups_make(y->x.step + first, end - first, &o, &g, y->err);

    if (status != CW_OK)
        return status;
    r->fetched += g.touched_bytes, r->written += g.written_bytes;
    r->groups += g.groups, r->blocks += g.blocks;
    r->accessed += g.accessed_bytes, r->grouped += g.grouped_bytes;
    r->largest = g.footprint_bytes > r->largest ? g.footprint_bytes : r->largest;
    if (first == y->first)
        r->shown = g;
    else
        cw_groups_finish(&g);
    return CW_OK;
}

static enum cw_status order_all(struct study *y)
{
    enum cw_status status = CW_OK;
    bool max = !y->o->rule || strcmp(y->o->rule, "max") == 0,
         skew = !y->o->rule || strcmp(y->o->rule, "skew") == 0;

    y->order[y->orders++] =
        (struct order){.name = "enqueued", .title = "as enqueued", .rule = CW_GROUPS_BY_STEP};
    if (max)
        y->order[y->orders++] =
            (struct order){.name = "max", .title = "max (the patent's rule)", .rule = CW_GROUPS_MAX};
    if (skew)
        y->order[y->orders++] =
            (struct order){.name = "skew", .title = "skew (default)", .rule = CW_GROUPS_SKEW};
    for (uint32_t s = 0, end; s < y->x.steps; s = end) {
        end = cw_tile_steps_chain_end(&y->x, s);
        if (tiles_between(&y->x, s, end) > tiles_between(&y->x, y->first, y->end))
            y->first = s, y->end = end;
    }
    for (uint32_t k = 0; k < y->orders; k++)
        for (uint32_t s = 0, end; s < y->x.steps && status == CW_OK; s = end) {
            end = cw_tile_steps_chain_end(&y->x, s);
            status = order_chain(y, &y->order[k], s, end);
        }
    return status;
}

static enum cw_status get_steps(struct study *y)
{
    struct cw_trace_reach reach = {0};
    enum cw_status status;

    if (!y->source->is_trace && y->o->dims > 1)
        return cw_error_set(y->err, CW_ERR_INVALID,
                            "replay: groups:dims: tasks of a graph have no coordinates; give a trace");
    if (!y->source->is_trace)
        return cw_tile_steps_of_graph(&y->x, y->source->input.graph, y->err);
    status = cw_footprints_reach(&reach, &y->source->trace, y->err);
    if (status == CW_OK)
        status = cw_tile_steps_of_trace(&y->x, &y->source->trace, &reach, (uint32_t)y->o->tiles,
                                        (uint32_t)y->o->dims, y->o->keep_waits, y->err);
    if (status == CW_OK && !reach.analysed)
        cw_cli_complain("%s: nothing is known of what its kernels touch, so that each launch is one tile: %s",
                        y->source->input.file,
                        reach.missing.status ? reach.missing.text : "no sources are recorded");
    cw_trace_reach_finish(&reach);
    return status;
}

/* ---- the results */

static const char *bytes_text(uint64_t bytes, char text[24])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int k = 0;

    for (; value >= 1024 && k < 4; k++)
        value /= 1024;
    snprintf(text, 24, k ? "%.4g %s" : "%.0f %s", value, units[k]);
    return text;
}

/* "4", or of a grid "4x16": gw by dimension; R likewise. */
static const char *width_text(const struct cw_groups *g, char text[40])
{
    int n = snprintf(text, 40, "%u", g->width);

    for (int d = 0; d < CW_GROUPS_DIMS - 1 && g->inner[d]; d++)
        n += snprintf(text + n, 40 - (size_t)n, "x%u", g->inner[d]);
    return text;
}

static const char *reach_text(const struct cw_groups *g, char text[80])
{
    int n = snprintf(text, 80, "%.3g", g->reach);

    for (int d = 0; d < CW_GROUPS_DIMS - 1 && g->inner[d]; d++)
        n += snprintf(text + n, 80 - (size_t)n, "x%.3g", g->inner_reach[d]);
    return text;
}

static double ratio(const struct study *y, const struct order *r)
{
    return r->fetched + r->written
               ? (double)(y->order[0].fetched + y->order[0].written) / (double)(r->fetched + r->written)
               : 1;
}

static double reuse(const struct order *r)
{
    return r->grouped ? (double)r->accessed / (double)r->grouped : 0;
}

static void print_table(const struct study *y, FILE *f)
{
    char a[24], b[24], c[24], width[40], reach[80];

    fprintf(f, "%s: %u steps in tiles (%u tiles), %u whole; %u chain%s; a cache of %s counted on\n\n",
            y->source->input.file, y->x.cut, tiles_between(&y->x, 0, y->x.steps), y->x.whole, y->x.chains,
            y->x.chains == 1 ? "" : "s", bytes_text(y->o->cache, a));
    fprintf(f, "%-24s %6s %7s %4s %7s %14s %6s %12s %12s  %7s\n", "order", "blocks", "groups", "H", "gw",
            "largest group", "reuse", "from memory", "to memory", "traffic");
    for (uint32_t k = 0; k < y->orders; k++) {
        const struct order *r = &y->order[k];
        fprintf(f, "%-24s ", r->title);
        if (k)
            fprintf(f, "%6" PRIu64 " %7" PRIu64 " %4u %7s %14s %6.2f", r->blocks, r->groups, r->shown.height,
                    width_text(&r->shown, width), bytes_text(r->largest, a), reuse(r));
        else
            fprintf(f, "%6s %7s %4s %7s %14s %6s", "-", "-", "-", "-", "-", "-");
        fprintf(f, " %12s %12s  1/%.2f\n", bytes_text(r->fetched, b), bytes_text(r->written, c), ratio(y, r));
    }
    fprintf(f,
            "\nH: steps with neighbours in a block, gw: tiles side by side in a group, both of the longest "
            "chain; R = %s "
            "tiles.\n",
            reach_text(&y->order[y->orders - 1].shown, reach));
}

static void print_json(const struct study *y, FILE *f)
{
    struct cw_json_out *o = malloc(sizeof *o);

    if (!o)
        return;
    cw_json_out_init(o, f);
    cw_json_put_open(o);
    cw_json_put_key(o, "policy");
    cw_json_put_string(o, "groups");
    cw_json_put_member_u64(o, "cache_bytes", y->o->cache);
    cw_json_put_member_u64(o, "cut", y->x.cut);
    cw_json_put_member_u64(o, "whole", y->x.whole);
    cw_json_put_member_u64(o, "chains", y->x.chains);
    cw_json_put_member_u64(o, "tiles", tiles_between(&y->x, 0, y->x.steps));
    cw_json_put_key(o, "orders");
    for (uint32_t k = 0; k < y->orders; k++) {
        const struct order *r = &y->order[k];
        cw_json_put_char(o, k ? ',' : '[');
        cw_json_put_open(o);
        cw_json_put_key(o, "rule");
        cw_json_put_string(o, r->name);
        cw_json_put_member_u64(o, "blocks", r->blocks);
        cw_json_put_member_u64(o, "groups", r->groups);
        cw_json_put_member_u64(o, "height", r->shown.height);
        cw_json_put_member_u64(o, "width", r->shown.width);
        for (int d = 0; d < CW_GROUPS_DIMS - 1 && r->shown.inner[d]; d++)
            cw_json_put_member_u64(o, d ? "width_2" : "width_1", r->shown.inner[d]);
        cw_json_put_member_u64(o, "largest_group_bytes", r->largest);
        cw_json_put_key(o, "reuse");
        cw_json_put_double(o, reuse(r));
        cw_json_put_member_u64(o, "fetched_bytes", r->fetched);
        cw_json_put_member_u64(o, "written_bytes", r->written);
        cw_json_put_close(o);
    }
    cw_json_put_char(o, ']');
    cw_json_put_close(o);
    cw_json_put_char(o, '\n');
    cw_json_out_flush(o);
    free(o);
}

static const char *step_name(const struct study *y, uint32_t step)
{
    const struct cw_plan_source *s = y->source;
    const struct cw_command *c;

    if (!s->is_trace)
        return cw_graph_name(s->input.graph, y->x.command[step]);
    c = &s->trace.commands.v[y->x.command[step]];
    return cw_trace_command_name(&s->trace, c);
}

static enum cw_status draw(const struct study *y)
{
    struct cw_group_panel panel[ORDERS];
    struct cw_group_bar bar[ORDERS];
    char text[ORDERS][240], bytes[ORDERS][60], head[300], below[200], a[24], b[24], width[40], reach[80];
    const char *slash = strrchr(y->source->input.file, '/');
    uint32_t steps = y->end - y->first, *tiles = malloc(steps * sizeof *tiles);
    const char **names = malloc(steps * sizeof *names);
    enum cw_status status = tiles && names ? CW_OK : cw_error_set(y->err, CW_ERR_NOMEM, "out of memory");
    struct cw_group_picture p = {.heading = head,
                                 .text = below,
                                 .steps = steps,
                                 .tiles = tiles,
                                 .names = names,
                                 .panel = panel,
                                 .bar = bar,
                                 .panels = y->orders - 1,
                                 .bars = y->orders};

    for (uint32_t s = 0; s < steps && status == CW_OK; s++)
        tiles[s] = y->x.step[y->first + s].tiles, names[s] = step_name(y, y->first + s);
    for (uint32_t k = 0; k < y->orders; k++) {
        const struct order *r = &y->order[k];
        snprintf(bytes[k], sizeof bytes[k], "%s (1/%.2f)", bytes_text(r->fetched, a),
                 r->fetched ? (double)y->order[0].fetched / (double)r->fetched : 1);
        bar[k] = (struct cw_group_bar){r->name, bytes[k], (double)r->fetched};
        snprintf(text[k], sizeof text[k], "H %u, gw %s, R %s; blocks: %u, groups: %u, the largest %s",
                 r->shown.height, width_text(&r->shown, width), reach_text(&r->shown, reach), r->shown.blocks,
                 r->shown.groups, bytes_text(r->shown.footprint_bytes, b));
        if (k)
            panel[k - 1] = (struct cw_group_panel){r->title, text[k], &r->shown};
    }
    snprintf(head, sizeof head, "Priority groups: %s", slash ? slash + 1 : y->source->input.file);
    snprintf(below, sizeof below,
             "steps downwards, tiles side by side; numbers and colours are groups, blue first, red last; "
             "cache of %s",
             bytes_text(y->o->cache, a));
    if (status == CW_OK)
        status = cw_group_picture_write(y->o->picture, &p, y->err);
    free(tiles);
    free(names);
    return status;
}

enum cw_status cw_replay_groups(const struct cw_replay_groups_options *o, struct cw_plan_source *source,
                                FILE *out, struct cw_error *err)
{
    struct study y = {.o = o, .source = source, .err = err};
    enum cw_status status = get_steps(&y);

    if (status == CW_OK)
        status = order_all(&y);
    if (status == CW_OK && o->json)
        print_json(&y, out);
    else if (status == CW_OK)
        print_table(&y, out);
    if (status == CW_OK && o->picture)
        status = draw(&y);
    for (uint32_t k = 0; k < y.orders; k++)
        cw_groups_finish(&y.order[k].shown);
    cw_tile_steps_finish(&y.x);
    return status;
}
