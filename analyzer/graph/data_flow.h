/* data_flow.h - algorithm A2 with byte ranges: the last writer and the readers after it, per range of each
 * memory.
 */
#ifndef CW_DATA_FLOW_H
#define CW_DATA_FLOW_H

#include "edge_list.h"

struct cw_data_flow;

/* State for a sweep over t's commands; works out which memory objects share bytes. `declared`: accesses count
 * as they are declared, not as they can be proven. NULL when memory is out. */
struct cw_data_flow *cw_data_flow_create(const struct cw_trace *t, bool declared);
void cw_data_flow_destroy(struct cw_data_flow *d);

/* Adds the data edges into command `id` (its accesses must be filled) and makes its accesses known to later
 * ones. False when memory is out. */
bool cw_data_flow_command(struct cw_data_flow *d, uint32_t id, struct cw_edge_list *edges);

#endif
