/* trace_counts.c - prints how many accepted enqueues of each type a trace holds: lines "CL_COMMAND_... 12" in
 * the order of the names, then "total 12". Reads the JSON by itself, without clweave's reader.
 *
 * usage: trace_counts FILE...   all files together; status 1 when a file is no trace */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TYPES 64

static struct {
    char name[64];
    unsigned long count;
} types[MOST_TYPES];
static size_t type_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b); /* the name is the first member */
}

static void add(const char *name)
{
    size_t t = 0;
    while (t < type_count && strcmp(types[t].name, name))
        t++;
    if (t == MOST_TYPES || strlen(name) >= sizeof types[t].name) {
        fprintf(stderr, "more command types than the specification has\n");
        exit(1);
    }
    if (t == type_count)
        strcpy(types[type_count++].name, name);
    types[t].count++;
}

static int count(const char *path)
{
    json_error_t err;
    json_t *trace = json_load_file(path, 0, &err), *commands = json_object_get(trace, "commands"), *command;
    const char *format = json_string_value(json_object_get(trace, "format"));
    size_t i;
    if (!trace || !format || strcmp(format, "clweave-trace") || !json_is_array(commands)) {
        fprintf(stderr, "%s: no trace: %s (line %d)\n", path, trace ? "format or commands missing" : err.text,
                err.line);
        return 1;
    }
    json_array_foreach(commands, i, command)
    {
        const char *type = json_string_value(json_object_get(command, "type"));
        if (type && strncmp(type, "CL_COMMAND_", 11) == 0 &&
            !json_integer_value(json_object_get(command, "status")))
            add(type);
    }
    json_decref(trace);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long total = 0;
    for (int i = 1; i < argc; i++)
        if (count(argv[i]))
            return 1;
    qsort(types, type_count, sizeof types[0], by_name);
    for (size_t t = 0; t < type_count; t++) {
        printf("%s %lu\n", types[t].name, types[t].count);
        total += types[t].count;
    }
    printf("total %lu\n", total);
    return 0;
}
