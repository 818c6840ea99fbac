/* layer_env.h - our name in OPENCL_LAYERS. */
#ifndef CW_LAYER_ENV_H
#define CW_LAYER_ENV_H

#include <stdbool.h>

/* True in a process that has this library preloaded, as opposed to loaded as a layer: then its constructors
 * run before any thread of the program. */
bool cw_layer_preloaded(void);

/* Repairs the variable: ocl-icd cuts the string in place, at each colon up to the layer that
 * it is loading, so that children would inherit the first element only. Called by clInitLayer, when
 * everything up to our own element has been cut; changes nothing when nothing was. */
void cw_layer_env_repair(void);

#endif
