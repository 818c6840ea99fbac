/* kernel_edges.c - prints which kernels of a trace depend on which: lines "i j", kernels counted from 0 in
 * the order in which they were enqueued, for every edge that binds a reordering (all but `queue`), each pair
 * once, sorted; "i j unproven" where all edges of the pair are. Reads the JSON by itself, without clweave's
 * reader.
 *
 * usage: kernel_edges FILE   status 1 when it is no trace */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    long from, to;
    bool unproven;
};

static int by_place(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->from != y->from || x->to != y->to)
        return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                                  : (x->to > y->to) - (x->to < y->to);
    return x->unproven - y->unproven;
}

/* rank[id] becomes the number of the kernel with command id `id`, -1 for other commands. Returns the size of
 * rank. */
static size_t rank_kernels(const json_t *commands, long **rank)
{
    size_t n = json_array_size(commands), i;
    json_t *command;
    long kernels = 0;
    *rank = malloc((n + 1) * sizeof **rank);
    if (!*rank)
        exit(1);
    json_array_foreach(commands, i, command)
    {
        const char *type = json_string_value(json_object_get(command, "type"));
        (*rank)[i] = type && strcmp(type, "CL_COMMAND_NDRANGE_KERNEL") == 0 ? kernels++ : -1;
    }
    return n;
}

int main(int argc, char **argv)
{
    json_error_t err;
    json_t *trace = argc == 2 ? json_load_file(argv[1], 0, &err) : NULL, *edge;
    const json_t *edges = json_object_get(trace, "edges");
    if (!json_is_array(edges) || !json_is_array(json_object_get(trace, "commands"))) {
        fprintf(stderr, "kernel_edges: %s is no trace\n", argc == 2 ? argv[1] : "(nothing)");
        return 1;
    }
    long *rank;
    size_t count = rank_kernels(json_object_get(trace, "commands"), &rank), found = 0, i;
    struct pair *pairs = malloc((json_array_size(edges) + 1) * sizeof *pairs);
    if (!pairs)
        return 1;
    json_array_foreach(edges, i, edge)
    {
        const char *kind = json_string_value(json_object_get(edge, "kind"));
        size_t from = (size_t)json_integer_value(json_object_get(edge, "from"));
        size_t to = (size_t)json_integer_value(json_object_get(edge, "to"));
        if (kind && strcmp(kind, "queue") && from < count && to < count && rank[from] >= 0 && rank[to] >= 0)
            pairs[found++] =
                (struct pair){rank[from], rank[to], json_is_true(json_object_get(edge, "unproven"))};
    }
    qsort(pairs, found, sizeof *pairs, by_place);
    for (i = 0; i < found; i++)
        if (i == 0 || pairs[i - 1].from != pairs[i].from || pairs[i - 1].to != pairs[i].to)
            printf("%ld %ld%s\n", pairs[i].from, pairs[i].to, pairs[i].unproven ? " unproven" : "");
    free(pairs);
    free(rank);
    json_decref(trace);
    return 0;
}
