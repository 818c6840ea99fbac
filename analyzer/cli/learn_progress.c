/* learn_progress.c - see learn.h. The bar goes past the stream, which would print its control characters. */
#include "learn.h"
#include "../io/quantity.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define WIPE "\r\033[K"
enum { BAR = 16, STEADY_ROUNDS = 3, MEASURED = 9 };

static bool drawn;

static void put(const char *text, size_t n)
{
    ssize_t told = write(STDERR_FILENO, text, n);

    (void)told;
}

/* The text of the bar is cut where the terminal's line ends. */
static int width_of_terminal(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

static double elapsed_s(const struct cw_learn *l)
{
    return cw_monotonic_s() - l->begin_ns / 1e9;
}

/* Rounds that are done, over those and the ones that are still to come if nothing changes. */
static double share_of(const struct cw_learn *l)
{
    size_t measured = l->measures ? l->n - l->first : 0;
    size_t left = (l->measures || l->steady >= STEADY_ROUNDS ? 0 : STEADY_ROUNDS - l->steady) +
                  (measured < MEASURED ? MEASURED - measured : 1);

    return (double)l->n / (double)(l->n + left);
}

void cw_learn_progress_draw(const struct cw_learn *l, bool waits)
{
    char text[256], bar[BAR + 1];
    double share = share_of(l);
    int n, most = (int)sizeof WIPE - 1 + width_of_terminal();

    if (!isatty(STDERR_FILENO))
        return;
    memset(bar, '-', BAR);
    memset(bar, '#', (size_t)(share * BAR));
    bar[BAR] = '\0';
    n = snprintf(text, sizeof text, WIPE "%s [%s] round %zu, %.0f s",
                 waits         ? "waiting for builds"
                 : l->measures ? "measuring"
                               : "learning",
                 bar, l->n + 1, elapsed_s(l));
    if (l->n)
        n += snprintf(text + n, sizeof text - (size_t)n, ", bare %.1f ms, run %.1f ms, %s",
                      l->pair[l->n - 1].bare.wall_ns / 1e6, l->pair[l->n - 1].run.wall_ns / 1e6,
                      cw_learn_state_word(l->state));
    put(text, (size_t)(n < most ? n : most));
    drawn = true;
}

void cw_learn_progress_round(const struct cw_learn *l)
{
    const struct cw_learn_pair *last = &l->pair[l->n - 1];

    if (isatty(STDERR_FILENO))
        cw_learn_progress_draw(l, false);
    else
        fprintf(stderr, "round %zu: bare %.1f ms, run %.1f ms, %s\n", l->n, last->bare.wall_ns / 1e6,
                last->run.wall_ns / 1e6,
                l->measures && l->n > l->first ? "measured" : cw_learn_state_word(l->state));
}

void cw_learn_progress_end(void)
{
    if (drawn)
        put(WIPE, sizeof WIPE - 1);
    drawn = false;
}
