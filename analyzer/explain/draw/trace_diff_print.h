/* trace_diff_print.h - the difference of two traces (explain/trace_diff.h) for people and for programs. */
#ifndef CW_TRACE_DIFF_PRINT_H
#define CW_TRACE_DIFF_PRINT_H

#include <stdio.h>

#include "../trace_diff.h"

/* As tables; names: of the first file of each side. Control characters are the stream's business. */
void cw_trace_diff_print(const struct cw_trace_diff *d, const char *const names[CW_DIFF_SIDES], FILE *f);

/* One JSON object. */
void cw_trace_diff_print_json(const struct cw_trace_diff *d, const char *const names[CW_DIFF_SIDES], FILE *f);

/* One HTML page that needs no other file and runs no script (trace_diff_page.c). */
void cw_trace_diff_page(const struct cw_trace_diff *d, const char *const names[CW_DIFF_SIDES], FILE *f);

/* "+12 %", "-3.1 %", "x 2.4" where it is doubled or halved, "-" for NAN, in `text` of 24 bytes, which is
 * returned. */
const char *cw_trace_diff_print_change(double change, char text[24]);

/* "+3.1 % to +12 %" or "", in `text` of 64 bytes, which is returned. */
const char *cw_trace_diff_print_interval(const struct cw_diff_test *t, char text[64]);

/* "slower", "same; some longer in B", in `text` of 64 bytes, which is returned. */
const char *cw_trace_diff_print_judgement(const struct cw_diff_row *r, char text[64]);

/* "3 kinds of command slower, 1 faster ..." in `text` of 240 bytes, which is returned. */
const char *cw_trace_diff_print_verdict(const struct cw_trace_diff *d, char text[240]);

/* "The first 18 commands are alike, by name and size; then A has #18 paint 512/64, B ends", without a stop at
 * its end, in `text` of 400 bytes, which is returned. */
const char *cw_trace_diff_print_next(const struct cw_trace_diff *d, char text[400]);

/* False for a phase that takes no time in either trace, as far as they say: tables leave it out. */
bool cw_trace_diff_print_shows(const struct cw_diff_phase *p);

/* "1.5 ms"; "-" for NAN, in `text` of 16 bytes, which is returned. */
const char *cw_trace_diff_print_ns(double ns, char text[16]);

/* "0.0312", "<0.0001", "-" for NAN, in `text` of 16 bytes, which is returned. */
const char *cw_trace_diff_print_p(double p, char text[16]);

/* The test, in words. */
const char *cw_trace_diff_print_test(const struct cw_trace_diff *d);

#endif
