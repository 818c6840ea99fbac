/* tokens.h - the preprocessing tokens of an OpenCL C source with their places, and its names numbered.
 *
 * The text is first cleaned: line splices and comments go, "\r\n" becomes "\n"; every line keeps its number,
 * but in the middle of a directive or of a name. Text in branches that cannot be taken (#if 0, #else of #if
 * 1) makes no tokens; it stays in the text. Linear time. Not thread-safe for one object. */
#ifndef CW_TOKENS_H
#define CW_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cw_rw_kind {
    CW_RW_NAME,
    CW_RW_NUMBER,
    CW_RW_STRING,
    CW_RW_PUNCT,     /* one character, or ## */
    CW_RW_DIRECTIVE, /* the # that begins a directive; its tokens follow, then CW_RW_LINE_END */
    CW_RW_LINE_END,
};

/* The kind of a directive, in .c of its CW_RW_DIRECTIVE. */
enum cw_rw_directive {
    CW_RW_DEFINE = 1,
    CW_RW_UNDEF,
    CW_RW_IF, /* also #ifdef, #ifndef */
    CW_RW_ELIF,
    CW_RW_ELSE,
    CW_RW_ENDIF,
    CW_RW_INCLUDE,
    CW_RW_HARMLESS, /* #pragma, #line, #error */
    CW_RW_UNKNOWN,
};

struct cw_rw_token {
    uint32_t at, length; /* in the cleaned text */
    uint32_t name;       /* CW_RW_NAME: its number; else 0 */
    uint8_t kind;        /* enum cw_rw_kind */
    char c;      /* CW_RW_PUNCT: the character ('P': ##), CW_RW_DIRECTIVE: enum cw_rw_directive; else 0 */
    bool spaced; /* white space stands before it */
};

/* Names of all units of a program. Flags and nodes are the scanner's (rewrite_state.h). */
struct cw_rw_name {
    const char *text; /* not NUL-terminated; into a text that lives as long as the table */
    uint32_t length, flags, hash;
};
struct cw_rw_names {
    struct cw_rw_name *v;
    size_t count, capacity;
    uint32_t *bucket; /* hash table of numbers + 1; a power of two */
    size_t buckets;
};

/* Number of a name, entered if it is new; UINT32_MAX when memory is out. `text` must outlive the table. */
uint32_t cw_tokens_name_intern(struct cw_rw_names *n, const char *text, size_t length);
void cw_tokens_names_finish(struct cw_rw_names *n);

struct cw_rw_text {
    char *text; /* owned, cleaned, NUL-terminated */
    size_t length;
    struct cw_rw_token *v;
    size_t count, capacity;
    const char *trouble; /* why it cannot be rewritten: static words, or NULL */
    bool spliced;        /* lines were joined: __LINE__ may differ */
};

/* Cleans and reads `length` bytes of `source`. False: memory is out. Finish it either way. */
bool cw_tokens_read(struct cw_rw_text *t, struct cw_rw_names *names, const char *source, size_t length);
void cw_tokens_finish(struct cw_rw_text *t);

/* A hash of a NUL-terminated text. */
uint32_t cw_tokens_hash_text(const char *text);

bool cw_tokens_name_is(const struct cw_rw_names *n, uint32_t name, const char *word);

#endif
