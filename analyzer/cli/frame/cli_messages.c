/* cli_messages.c - complaints, the tool's standard streams and signals; see cli.h. */
#include "cli.h"
#include "../../../sched/nearest_word.h"
#include "../../io/text.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cw_cli_complain(const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    fputs("clweave: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

static struct sigaction found_file_size_limit;

/* Files are mapped while they are read. */
static void on_sigbus(int sig)
{
    static const char text[] =
        "clweave: another process cut a file short while it was read, or its disk fails; try again\n";

    ssize_t told = write(STDERR_FILENO, text, sizeof text - 1);

    (void)told;
    (void)sig;
    _exit(CW_EXIT_FAILURE);
}

void cw_cli_signals_own(void)
{
    sigaction(SIGBUS, &(struct sigaction){.sa_handler = on_sigbus}, NULL);
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, &found_file_size_limit);
}

void cw_cli_signals_restore(void)
{
    sigaction(SIGXFSZ, &found_file_size_limit, NULL);
}

void cw_cli_streams_own(void)
{
    FILE *out = cw_printable_stream(STDOUT_FILENO), *err = cw_printable_stream(STDERR_FILENO);

    if (!out || !err) {
        fputs("clweave: out of memory\n", stderr);
        exit(CW_EXIT_FAILURE);
    }
    setvbuf(err, NULL, _IONBF, 0);
    stdout = out; /* variables, with the GNU C library */
    stderr = err;
}

int cw_cli_fail(const struct cw_error *err)
{
    cw_cli_complain("%s", err->text[0] ? err->text : cw_status_string(err->status));
    return CW_EXIT_FAILURE;
}

const char *cw_cli_nearest(const char *word, const char *const *words)
{
    const char *nearest = cw_nearest_word(word, words);

    for (size_t i = 0; !nearest && *word && words[i]; i++)
        if (strncmp(words[i], word, strlen(word)) == 0)
            nearest = words[i];
    return nearest;
}
