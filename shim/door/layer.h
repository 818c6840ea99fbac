/* layer.h - the layer interface (cl_loader_layers), and declarations that CL/cl_layer.h lacks. */
#ifndef CW_LAYER_H
#define CW_LAYER_H

#include <CL/cl_icd.h>

#define CL_LAYER_API_VERSION     0x4240
#define CL_LAYER_NAME            0x4241
#define CL_LAYER_API_VERSION_100 100

cl_int clGetLayerInfo(cl_uint param_name, size_t param_value_size, void *param_value,
                      size_t *param_value_size_ret);
cl_int clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch, cl_uint *num_entries_ret,
                   const cl_icd_dispatch **layer_dispatch_ret);
cl_int clInitLayerWithProperties(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                 cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret,
                                 const cl_bitfield *properties);
cl_int clDeinitLayer(void);

#endif
