/* joined_source.c - see joined_source.h. */
#include "joined_source.h"

#include <stdlib.h>
#include <string.h>

#include "header_files.h"
#include "inlined_headers.h"

/* Behind a backslash that splices lines, or `p`. */
static const char *spliced(const char *p)
{
    const char *end = p + 1;

    if (*p != '\\')
        return p;
    end += strspn(end, " \t\v\f\r"); /* clang warns of them */
    return *end == '\n' ? end + 1 : p;
}

static bool begins(const char *text, const char *word)
{
    const char *behind;

    for (; *word; text++, word++) {
        while ((behind = spliced(text)) != text)
            text = behind;
        if (*text != *word)
            return false;
    }
    return true;
}

bool cw_joined_source_is_needed(const char *source)
{
    if (strstr(source, "?"
                       "?/")) /* a backslash */
        return true;
    for (const char *p = source; (p = strchr(p, 'i')); p++)
        if (begins(p, "include") || begins(p, "import"))
            return true;
    return false;
}

static const char *read_header(void *files, size_t unit, const char *name, const char *includer)
{
    const char *text = cw_header_files_read(files, name, includer);

    (void)unit;
    return text ? text : "!" CW_UNREAD_HEADER "!\n";
}

/* Words that mean something else once the text is one file. */
static const char *place_word(const char *text)
{
    static const char *const words[] = {"__LINE__",      "__FILE__",    "__BASE_FILE__", "__INCLUDE_LEVEL__",
                                        "__has_include", "__COUNTER__", "__TIMESTAMP__"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return words[i];
    return NULL;
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
    if (text && (word = place_word(text))) {
        free(text);
        text = NULL;
        cw_error_set(err, CW_ERR_UNSUPPORTED, "headers, and %s", word);
    } else if (!text) {
        cw_error_set(err, in.nomem ? CW_ERR_NOMEM : CW_ERR_UNSUPPORTED, "%s",
                     in.nomem ? "out of memory for headers" : reason);
    }
    return text;
}
