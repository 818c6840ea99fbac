/* json_in.h - reads JSON text (RFC 8259) value by value, without building a tree; positions of all errors.
 *
 * The first error is kept and everything after it fails at once, so callers check at the end of a group of
 * reads. Messages read "<file>:<line>:<column>: [<context>[<index>]: ]<fault>". A reader belongs to one
 * thread. */
#ifndef CW_JSON_IN_H
#define CW_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sched/status.h"

enum { CW_JSON_MAX_DEPTH = 64 };

struct cw_json_in {
    const char *name; /* of the file, for messages */
    const char *text, *p, *end;
    struct cw_error *err; /* not NULL; err->status tells that reading failed */
    char *scratch;        /* decoded strings; owned */
    size_t scratch_size;
    unsigned depth;
    const char *context; /* the section being read, for messages: "commands"; NULL allowed */
    size_t index;        /* of its element */
};

void cw_json_in_init(struct cw_json_in *in, const char *name, const char *text, size_t length,
                     struct cw_error *err);
void cw_json_in_finish(struct cw_json_in *in);

/* Records an error at `at` (a pointer into the text). Returns false, for `return cw_json_fail(...)`. */
bool cw_json_fail(struct cw_json_in *in, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Records "expected <expected>, found <the text at in->p>". Returns false. */
bool cw_json_expected(struct cw_json_in *in, const char *expected);

/* The first significant character of the next value ('{', '[', '"', 't', 'f', 'n', '-', digit), 0 at an error
 * or end. Moves over blanks only. */
char cw_json_peek(struct cw_json_in *in);

/* Containers: `begin` eats the opening bracket, then `next` is called before each member until it returns
 * false, which it does after the closing bracket or at an error. for (bool first = cw_json_begin(in, '[');
 * cw_json_next(in, ']', &first);) value… For objects cw_json_key follows each successful next. `first` is
 * true from begin. */
bool cw_json_begin(struct cw_json_in *in, char bracket);
bool cw_json_next(struct cw_json_in *in, char closing, bool *first);

/* The key and its colon. *key is not NUL-terminated and lies in the text or in scratch. */
bool cw_json_key(struct cw_json_in *in, const char **key, size_t *length);

/* Scalars. Whole numbers only: no fraction, no exponent, in the range of the type. */
bool cw_json_u64(struct cw_json_in *in, uint64_t max, uint64_t *value);
bool cw_json_i64(struct cw_json_in *in, int64_t min, int64_t max, int64_t *value);
bool cw_json_bool(struct cw_json_in *in, bool *value);
/* A string, decoded; valid until the next read. Rejects NUL and invalid UTF-8. Bytes that cw_json_out escaped
 * as U+EF80 … U+EFFF come back as the bytes they were. */
bool cw_json_string(struct cw_json_in *in, const char **value, size_t *length);
/* A string "0x…" of up to 16 hexadecimal digits. */
bool cw_json_hex(struct cw_json_in *in, uint64_t *value);
/* Eats a null if there is one. */
bool cw_json_null(struct cw_json_in *in);

/* Skips one value of any kind, checking its structure. */
bool cw_json_skip(struct cw_json_in *in);

/* After the top-level value: only blanks may follow. */
bool cw_json_done(struct cw_json_in *in);

#endif
