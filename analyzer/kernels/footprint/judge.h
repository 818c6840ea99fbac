/* judge.h - statements about an access before any launch is known. */
#ifndef CW_FOOTPRINT_JUDGE_H
#define CW_FOOTPRINT_JUDGE_H

#include "eval.h"

struct cw_judgement {
    enum cw_answer answer; /* EXACT: launches exist where the tile's bytes are known exactly */
    const char *why;       /* static words when not EXACT */
};

struct cw_judgement cw_judge_access(const struct cw_model *m, const struct cw_access *a);

/* The worst judgement over the accesses of one argument of the given kind (READ or WRITE); NONE without
 * accesses. */
struct cw_judgement cw_judge_argument(const struct cw_model *m, int arg, unsigned kind);

#endif
