/* settings_check.h - whether the library can work with a value of a setting.
 *
 * In plan/ because a value may name a platform file, which plan/ reads. */
#ifndef CW_SETTINGS_CHECK_H
#define CW_SETTINGS_CHECK_H

#include "../settings/options.h"

/* Checks the option `info` set to `value`. Returns the errors of cw_options_set, and those that the library
 * would report in the running program, where every call would then pass unchanged: no such policy or policy
 * option, a policy that only plans offline, a bad list of devices, a platform file that cannot be read, a
 * history that is no file. Changes nothing. Reads files. Thread-safe. */
enum cw_status cw_settings_check(const struct cw_option_info *info, const char *value, struct cw_error *err);

#endif
