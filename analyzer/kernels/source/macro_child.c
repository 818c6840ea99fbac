/* macro_child.c - see vendor_macros.h. */
#include "vendor_macros.h"

#include <stdlib.h>
#include <string.h>

#include "../../io/quiet_child.h"

#define VERSION "macros.2"

enum { MILLISECONDS = 60000 }; /* for a helper that is stuck */

char *cw_macro_words(const char *identity, const char *options, char *const *names, size_t n, size_t *bytes)
{
    char *words, *to;

    *bytes = sizeof VERSION + strlen(identity) + strlen(options) + 2;
    for (size_t i = 0; i < n; i++)
        *bytes += strlen(names[i]) + 1;
    to = words = malloc(*bytes);
    if (!words)
        return NULL;
    to = stpcpy(stpcpy(stpcpy(to, VERSION) + 1, identity) + 1, options) + 1;
    for (size_t i = 0; i < n; i++)
        to = stpcpy(to, names[i]) + 1;
    return words;
}

bool cw_macro_words_read(char *words, size_t bytes, struct cw_macro_asked *asked)
{
    char *end = words + bytes, *at = words;

    *asked = (struct cw_macro_asked){0};
    if (bytes < sizeof VERSION || words[bytes - 1] || strcmp(words, VERSION) != 0)
        return false;
    for (at += sizeof VERSION; at < end; at += strlen(at) + 1) {
        if (!asked->identity)
            asked->identity = at;
        else if (!asked->options)
            asked->options = at;
        else if (asked->n < CW_TESTED_NAMES_MAX)
            asked->names[asked->n++] = at;
        else
            return false;
    }
    return asked->n > 0;
}

/* ---- the process */

bool cw_macro_child_ask(const struct cw_helper_tool *tool, const char *words, size_t bytes,
                        struct cw_macro_value *values, size_t n)
{
    const char *argv[] = {tool->path, CW_MACRO_CHILD_WORD, NULL};
    size_t head = strlen(CW_MACRO_ANSWER), expected = head + n * sizeof *values;
    struct cw_quiet_child child = {.argv = argv,
                                   .env = tool->environment,
                                   .input = words,
                                   .input_bytes = bytes,
                                   .max_bytes = expected,
                                   .milliseconds = MILLISECONDS};
    struct cw_quiet_output out;
    struct cw_error err;
    bool good = cw_quiet_child_run(&child, &out, &err) == CW_OK && out.bytes == expected &&
                !memcmp(out.data, CW_MACRO_ANSWER, head);

    if (good)
        memcpy(values, out.data + head, expected - head);
    cw_quiet_output_finish(&out);
    return good;
}
