/* image.h - images. */
#ifndef CW_RUN_API_IMAGE_H
#define CW_RUN_API_IMAGE_H

#include "../core/types.h"

/* True when `k`, which has images (the arguments' `memory` is set), only reads them, and takes no sampler.
 * Lock held. */
bool cw_run_image_are_read(const struct cw_run_kernel *k);

#endif
