/* staging_image.h - the shape of a transfer between host memory and an image. Any thread. */
#ifndef CW_RUN_STAGING_IMAGE_H
#define CW_RUN_STAGING_IMAGE_H

#include "../../door/query.h"
#include "staging_pieces.h"

enum { CW_RUN_STAGING_PIXEL = 16 }; /* bytes of a pixel at most: four channels of 32 bits */

/* `s` has the region and the buffer's origin in pixels, and the host's pitches, as the program gave them;
 * they become bytes, and the pitches are filled in. False: it is no image, or one of mipmaps or samples, or
 * the vendor may see an error there. */
bool cw_run_staging_image_shape(cl_mem image, struct cw_run_staging_shape *s);

#endif
