/* vendor_child.h - the tool as the process that asks a vendor's compiler for its macros
 * (source/macro_child.h). */
#ifndef CW_VENDOR_CHILD_H
#define CW_VENDOR_CHILD_H

/* Reads the question from the file that quiet_child.h hands over, writes the answer to standard output.
 * Returns the exit status; 1: no answer. */
int cw_vendor_child(void);

#endif
