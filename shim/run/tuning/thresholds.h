/* thresholds.h - every number that run mode's "is it worth it?" goes by: one line each, with unit and reason.
 */
#ifndef CW_RUN_THRESHOLDS_H
#define CW_RUN_THRESHOLDS_H

/* ---- sharing a launch (tiles/share.h) */
#define CW_RUN_SHARE_LEAST_NS  40000  /* ns: shorter launches are not cut: waking a worker takes 5 to 13 us */
#define CW_RUN_SHARE_PART_NS   12000  /* ns: what each part costs beside its work */
#define CW_RUN_SHARE_SET_UP_NS 300000 /* ns: the same on an emulated board */
#define CW_RUN_SHARE_ASYNC_NS  50000  /* ns: where the device's own thread has to be woken for it */

#endif
