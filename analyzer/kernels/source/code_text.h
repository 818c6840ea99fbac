/* code_text.h - the text form of a program of which no source is known: of PoCL's binary (pocl_binary.h) or a
 * SPIR-V module (spirv.h).
 *
 * It is a comment of OpenCL C with the bytes in it, and stands for the program's source in caches, traces and
 * requests to compilers. Pure functions; any thread. */
#ifndef CW_CODE_TEXT_H
#define CW_CODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The caller's to free; NULL: memory is out. */
char *cw_code_text(const unsigned char *bytes, size_t n);

/* `text` is a text form. Only its beginning is looked at. */
bool cw_code_text_is(const char *text);

/* The bytes of a text form, the caller's to free; NULL: it is none, or memory is out. */
unsigned char *cw_code_text_bytes(const char *text, size_t *n);

#endif
