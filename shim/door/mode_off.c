/* mode_off.c - nothing is hooked: every call goes straight on. */
#include "dispatch.h"

const struct cw_mode cw_mode_off = {.name = "off"};
