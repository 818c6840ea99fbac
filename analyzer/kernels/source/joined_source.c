/* joined_source.c - see header_files.h. */

#include <stdlib.h>
#include <string.h>

#include "cl_source.h"
#include "header_files.h"

bool cw_joined_source_is_needed(const char *source, const char *options)
{
    struct cw_cl_source s;
    bool needed = !cw_cl_source_init(&s, source, options) || s.has_include;

    cw_cl_source_finish(&s);
    return needed;
}

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    const char *text = cw_header_files_read(files, name, includer);

    (void)unit;
    return text ? text : "!" CW_UNREAD_HEADER "!\n";
}

/* Words that mean something else once the text is one file; NULL: none. */
static const char *place_word(const char *text, const char *options)
{
    static const char *const words[] = {"__LINE__",    "__FILE__",      "__BASE_FILE__", "__INCLUDE_LEVEL__",
                                        "__COUNTER__", "__TIMESTAMP__", "__has_include", NULL};
    struct cw_cl_source s;
    const char *word = "a text that memory does not hold";

    if (cw_cl_source_init(&s, text, options)) {
        word = cw_cl_may_name(&s, words);
        word = !word && s.has_include ? "a question for another file" : word;
    }
    cw_cl_source_finish(&s);
    return word;
}

char *cw_joined_source(const char *source, const char *options, struct cw_error *err)
{
    return cw_joined_source_given(source, options, NULL, NULL, 0, err);
}

char *cw_joined_source_given(const char *source, const char *options, const char *const *name,
                             const char *const *text_of, size_t n, struct cw_error *err)
{
    const char *path = getenv("CPATH"), *word;
    struct cw_header_files files;
    char reason[CW_INLINED_REASON] = "", *text = NULL;
    struct cw_inlined in = {read_header, &files, 0, reason, false, false};

    if (path && *path) {
        cw_error_set(err, CW_ERR_UNSUPPORTED, "CPATH names other folders of headers");
        return NULL;
    }
    if (!cw_header_files_init(&files, options))
        strcpy(reason, "folders of headers that are not understood");
    for (size_t i = 0; i < n && !in.nomem && !*reason; i++)
        in.nomem = !cw_header_files_add(&files, name[i], text_of[i]);
    if (!in.nomem && !*reason)
        text = cw_inlined_headers(&in, source);
    cw_header_files_finish(&files);
    if (text && (word = place_word(text, options))) {
        free(text);
        text = NULL;
        cw_error_set(err, CW_ERR_UNSUPPORTED, "headers, and %s", word);
    } else if (!text) {
        cw_error_set(err, in.nomem ? CW_ERR_NOMEM : CW_ERR_UNSUPPORTED, "%s",
                     in.nomem ? "out of memory for headers" : reason);
    }
    return text;
}
