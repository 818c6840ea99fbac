/* fulfil.h - makes the result that a request names (requests.h), by calls of OpenCL in this process. */
#ifndef CW_FULFIL_H
#define CW_FULFIL_H

#include "requests.h"

enum cw_fulfilled {
    CW_FULFIL_MADE,    /* the result is in its store */
    CW_FULFIL_FAILED,  /* no such device, it does not build, the vendor does not take its own binary */
    CW_FULFIL_DIFFERS, /* of a stand-in: it gives other answers, which the store says from now on */
    CW_FULFIL_KINDS
};

/* The process has the request's environment, and has not called OpenCL. One thread. */
enum cw_fulfilled cw_fulfil(const struct cw_requests *r, const struct cw_request *q);

#endif
