/* objects.h - tables of functions by which core/ and tasks/ reach the layers above them. */
#ifndef CW_RUN_API_OBJECTS_H
#define CW_RUN_API_OBJECTS_H

/* Called by start(), before any record is made. */
void cw_run_objects_start(void);

#endif
