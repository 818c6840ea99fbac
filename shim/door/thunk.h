/* thunk.h - functions that stand for a function of the vendor's of whose parameters nothing is known.
 *
 * A thunk calls `before` once, then jumps to the vendor's function with all registers and the stack as its
 * caller left them. Thunks are never freed. Any thread. */
#ifndef CW_THUNK_H
#define CW_THUNK_H

/* The thunk of `vendor`, the same for each call. `before(name)` has returned before the vendor's function
 * is first entered by a thunk with that name; `name` is copied. NULL: no thunk is left, or this processor
 * has none. */
void *cw_thunk_create(void *vendor, const char *name, void (*before)(const char *name));

#endif
