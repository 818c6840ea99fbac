/* staging_count.c - the lines of the summary. */
#include "staging_count.h"
#include "../../door/lock_order.h"

#include "staging_crew.h"

#include <stdio.h>

static struct {
    unsigned long long transfers, bytes;
    double ns;
} counts[2]; /* [writes] */
/* Of transfers for which the vendor's time is known. */
static struct {
    unsigned long long bytes;
    double ns, vendor_ns;
} both;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, STAGING_COUNT)

void cw_run_staging_count(bool write, size_t bytes, double ns, double vendor_ns)
{
    pthread_mutex_lock(&lock);
    counts[write].transfers++;
    counts[write].bytes += bytes;
    counts[write].ns += ns;
    if (vendor_ns > 0) {
        both.bytes += bytes;
        both.ns += ns;
        both.vendor_ns += vendor_ns;
    }
    pthread_mutex_unlock(&lock);
}

void cw_run_staging_count_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}

int cw_run_staging_count_verdict(char *text, unsigned size)
{
    double megabytes;
    int n = 0;

    pthread_mutex_lock(&lock);
    megabytes = (double)(counts[0].bytes + counts[1].bytes) / 1e6;
    if (both.bytes)
        n = snprintf(text, size, "staging %.1fx (%.1f MB to and from the device)", both.vendor_ns / both.ns,
                     megabytes);
    else if (megabytes > 0)
        n = snprintf(text, size, "staging, gain not measured yet (%.1f MB to and from the device in %.1f ms)",
                     megabytes, (counts[0].ns + counts[1].ns) / 1e6);
    pthread_mutex_unlock(&lock);
    return n;
}

int cw_run_staging_describe(char *text, unsigned size)
{
    int n = 0;

    pthread_mutex_lock(&lock);
    if (counts[0].transfers || counts[1].transfers)
        n = snprintf(
            text, size,
            "run: %llu writes (%.1f MB in %.1f ms) and %llu reads (%.1f MB in %.1f ms) through pinned "
            "memory, by %u threads\n",
            counts[1].transfers, (double)counts[1].bytes / 1e6, counts[1].ns / 1e6, counts[0].transfers,
            (double)counts[0].bytes / 1e6, counts[0].ns / 1e6, cw_run_staging_crew_threads());
    if (both.bytes)
        n +=
            snprintf(text + n, size - (unsigned)n,
                     "run: staging: %.1fx measured (%.1f -> %.1f ms for %.1f MB whose time by the vendor is "
                     "known)\n",
                     both.vendor_ns / both.ns, both.vendor_ns / 1e6, both.ns / 1e6, (double)both.bytes / 1e6);
    pthread_mutex_unlock(&lock);
    return n;
}
