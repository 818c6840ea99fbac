/* cut_example.h - an expected verdict on cutting before a launch is known: for people only. */
#ifndef CW_FOOTPRINT_CUT_EXAMPLE_H
#define CW_FOOTPRINT_CUT_EXAMPLE_H

#include "cut.h"

/* The best verdict over a few made-up launches. Nothing may rest on it: each real launch is judged by itself.
 */
void cw_cut_example(const struct cw_model *m, struct cw_cut_verdict *best);

#endif
