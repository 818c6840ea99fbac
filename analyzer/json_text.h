/* json_text.h - writing single JSON values to a stream. Errors show in ferror(f). */
#ifndef CW_JSON_TEXT_H
#define CW_JSON_TEXT_H

#include <stdio.h>

/* A quoted string. Control characters, quotes and backslashes are escaped; bytes that are not UTF-8 become U+FFFD. */
void cw_json_put_string(FILE *f, const char *s);

/* The shortest decimal that reads back as the same double; null for infinities and NAN, which JSON does not have. */
void cw_json_put_number(FILE *f, double x);

#endif
