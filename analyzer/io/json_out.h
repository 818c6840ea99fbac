/* json_out.h - writes JSON text quickly: small appends into a buffer in front of a FILE.
 *
 * Commas are the caller's business except in objects, where cw_json_put_key writes them. Strings are bytes;
 * each byte that is not UTF-8 (program sources may hold any byte) is written as one character U+EF00 + byte,
 * and so are the bytes of characters U+EF80 … U+EFFF themselves, so that reading gives the same bytes
 * back. */
#ifndef CW_JSON_OUT_H
#define CW_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CW_JSON_OUT_BYTES = 1 << 16 };

struct cw_json_out {
    FILE *f;
    bool first; /* the next key is the first of its object */
    size_t used;
    char buffer[CW_JSON_OUT_BYTES];
};

void cw_json_out_init(struct cw_json_out *o, FILE *f);
/* Hands everything to the FILE, whose error flag tells whether that worked. */
void cw_json_out_flush(struct cw_json_out *o);

void cw_json_put_text(struct cw_json_out *o, const char *text); /* as it is */
void cw_json_put_char(struct cw_json_out *o, char c);
void cw_json_put_u64(struct cw_json_out *o, uint64_t v);
void cw_json_put_i64(struct cw_json_out *o, int64_t v);
void cw_json_put_hex(struct cw_json_out *o, uint64_t v);       /* "0x…" in quotes */
void cw_json_put_string(struct cw_json_out *o, const char *s); /* quoted; NULL gives null */
/* The shortest decimal that reads back as the same double; null for infinities and NAN, which JSON does not
 * have. */
void cw_json_put_double(struct cw_json_out *o, double x);
void cw_json_put_key(struct cw_json_out *o, const char *key); /* [,]"key": ; key is plain letters */
void cw_json_put_ready_key(struct cw_json_out *o, const char *key,
                           size_t length);     /* key is ,"key": already */
void cw_json_put_open(struct cw_json_out *o);  /* { and the next key is the first */
void cw_json_put_close(struct cw_json_out *o); /* } and the next key is not the first */
/* A member of the object that is open: a string (NULL: null), a number, and a list, which ']' closes. */
void cw_json_put_member_text(struct cw_json_out *o, const char *key, const char *value);
void cw_json_put_member_u64(struct cw_json_out *o, const char *key, uint64_t value);
void cw_json_put_member_list(struct cw_json_out *o, const char *key);

struct cw_json_figure {
    const char *key;
    double value; /* whole numbers up to 2^53 are written as such */
};
/* Keys and values of the object that is open. */
void cw_json_put_figures(struct cw_json_out *o, const struct cw_json_figure *figure, size_t count);
/* An object of figures and a newline, written to `f` at once. */
void cw_json_print_figures(FILE *f, const struct cw_json_figure *figure, size_t count);

#endif
