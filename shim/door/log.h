/* log.h - messages of the library about itself.
 *
 * They go to stderr, or to the file that CLWEAVE_LOG=LEVEL:FILE names (a pipe that no process reads is not
 * waited for); never to stdout. They hold no control characters (analyzer/io/text.h). Errors and
 * warnings appear once per place in the source (`fmt`), however often they happen. Nothing here disturbs the
 * host: errno is preserved, no descriptor stays open, a closed pipe or a file-size limit raises no signal,
 * nothing is allocated. Thread-safe; also safe in a forked child. */
#ifndef CW_LOG_H
#define CW_LOG_H

#include <stddef.h>

enum cw_log_level { CW_LOG_ERROR, CW_LOG_WARNING, CW_LOG_INFO, CW_LOG_DEBUG };

void cw_log(enum cw_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* `bytes` of text that the user has asked for, to stderr: no level, no prefix. Bytes that are not printable
 * are replaced. */
void cw_log_plain(char *text, size_t bytes);

#define cw_log_error(...)   cw_log(CW_LOG_ERROR, __VA_ARGS__)
#define cw_log_warning(...) cw_log(CW_LOG_WARNING, __VA_ARGS__)
#define cw_log_info(...)    cw_log(CW_LOG_INFO, __VA_ARGS__)
#define cw_log_debug(...)   cw_log(CW_LOG_DEBUG, __VA_ARGS__)

#endif
