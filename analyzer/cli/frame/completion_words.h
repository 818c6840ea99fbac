/* completion_words.h - the words that complete an option's argument or a command's first operand. Everything
 * comes from the tables that parsing uses. */
#ifndef CW_COMPLETION_WORDS_H
#define CW_COMPLETION_WORDS_H

#include "cli.h"

/* Write the words to `f`, a blank behind each (f NULL: do not); return whether there are any. Those of --set
 * are "rows=on rows=off seed= ", those of a row that --set replaces "on off ". */
bool cw_completion_words_option(FILE *f, const struct cw_command_def *def, const struct cw_cli_option *o);
bool cw_completion_words_operand(FILE *f, const struct cw_command_def *const *table,
                                 const struct cw_command_def *def);

/* Whether the argument may name a file, besides the words. */
bool cw_completion_words_or_file(const struct cw_cli_option *o);

/* "rows=on|off" of a row that --set replaces, else NULL. */
const char *cw_completion_setting(const struct cw_cli_option *o);

/* Whether the option has an argument. */
bool cw_completion_takes(const struct cw_cli_option *o);

#endif
