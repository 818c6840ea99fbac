/* staging_choice.c - the ways of a class, and the price of the pool. */
#include "staging_choice.h"

#include <math.h>

/* An H200: pageable 9 to 17 GB/s, staged 30 to 45. Pinning: .37 ms per MB. */
#define GAIN_NS_PER_BYTE .06
#define PIN_NS_PER_BYTE  .37
#define START_NS         1e6 /* threads, and the buffer's map */
#define SETTLED_PULLS    4
#define FORGET           .25 /* weight of a new measurement */
#define NEAR             3
#define CLEAR            1.5
#define MOST_THREADS     8
#define LEAST_PROCESSORS 4
#define THREAD_BYTES     ((size_t)2 << 20) /* of a transfer for each thread that takes part */
#define LEAST_PIECE      ((size_t)256 << 10)

static unsigned class_of(size_t bytes)
{
    unsigned class = bytes < 2 ? 0 : 63 - (unsigned)__builtin_clzll(bytes);

    return class < CW_RUN_STAGING_CLASSES ? class : CW_RUN_STAGING_CLASSES - 1;
}

static const struct cw_arm *arms_of(const struct cw_run_staging_choice *c, bool write, size_t bytes)
{
    return c->arm[write][class_of(bytes)];
}

/* The time per byte of a way in the nearest class that knows it, at most NEAR classes away in one
 * direction; 0: none does. */
static double near_cost(const struct cw_run_staging_choice *c, bool write, int class,
                        enum cw_run_staging_way way, int direction)
{
    for (int i = 1; i <= NEAR; i++) {
        int at = class + i * direction;
        if (at >= 0 && at < CW_RUN_STAGING_CLASSES && c->arm[write][at][way].pulls)
            return c->arm[write][at][way].mean;
    }
    return 0;
}

/* A trial that neighbours show to be in vain is spared. Staging gains the more the larger a transfer is,
 * and a vendor's time per byte varies little: so the vendor is not tried where staging takes much less
 * than the vendor nearby, and staging is not where it loses with larger transfers. */
static bool is_in_vain(const struct cw_run_staging_choice *c, bool write, size_t bytes,
                       enum cw_run_staging_way way)
{
    const struct cw_arm *arm = arms_of(c, write, bytes);
    int class = (int)class_of(bytes);
    double vendor, staged;

    if (arm[way].pulls)
        return false;
    if (way == CW_RUN_STAGING_VENDOR) {
        vendor = near_cost(c, write, class, way, -1);
        vendor = vendor > 0 ? vendor : near_cost(c, write, class, way, 1);
        return arm[CW_RUN_STAGING_STAGED].pulls && vendor > CLEAR * arm[CW_RUN_STAGING_STAGED].mean;
    }
    vendor = near_cost(c, write, class, CW_RUN_STAGING_VENDOR, 1);
    staged = near_cost(c, write, class, CW_RUN_STAGING_STAGED, 1);
    return vendor > 0 && staged > vendor;
}

enum cw_run_staging_way cw_run_staging_choice_next(const struct cw_run_staging_choice *c, bool write,
                                                   size_t bytes)
{
    struct cw_arm arm[CW_RUN_STAGING_WAYS];
    const struct cw_arm *known = arms_of(c, write, bytes);

    for (uint32_t i = 0; i < CW_RUN_STAGING_WAYS; i++) {
        uint32_t way = CW_RUN_STAGING_WAYS - 1 - i; /* the staged way is tried first */
        arm[i] = known[way];
        arm[i].usable = !is_in_vain(c, write, bytes, (enum cw_run_staging_way)way);
        arm[i].family = i;
    }
    return (enum cw_run_staging_way)(CW_RUN_STAGING_WAYS - 1 - cw_arms_next(arm, CW_RUN_STAGING_WAYS, 0));
}

enum cw_run_staging_way cw_run_staging_choice_best(const struct cw_run_staging_choice *c, bool write,
                                                   size_t bytes)
{
    const struct cw_arm *arm = arms_of(c, write, bytes);

    return arm[CW_RUN_STAGING_VENDOR].pulls && arm[CW_RUN_STAGING_STAGED].pulls &&
                   arm[CW_RUN_STAGING_VENDOR].mean < arm[CW_RUN_STAGING_STAGED].mean
               ? CW_RUN_STAGING_VENDOR
               : CW_RUN_STAGING_STAGED;
}

double cw_run_staging_choice_vendor_ns(const struct cw_run_staging_choice *c, bool write, size_t bytes)
{
    const struct cw_arm *arm = &arms_of(c, write, bytes)[CW_RUN_STAGING_VENDOR];
    int class = (int)class_of(bytes);
    double cost = arm->pulls ? arm->mean : near_cost(c, write, class, CW_RUN_STAGING_VENDOR, -1);

    return (double)bytes * (cost > 0 ? cost : near_cost(c, write, class, CW_RUN_STAGING_VENDOR, 1));
}

bool cw_run_staging_choice_settled(const struct cw_run_staging_choice *c, bool write, size_t bytes)
{
    const struct cw_arm *arm = arms_of(c, write, bytes);

    return arm[CW_RUN_STAGING_VENDOR].pulls >= SETTLED_PULLS &&
           (arm[CW_RUN_STAGING_STAGED].pulls >= 2 || is_in_vain(c, write, bytes, CW_RUN_STAGING_STAGED)) &&
           cw_run_staging_choice_next(c, write, bytes) == CW_RUN_STAGING_VENDOR;
}

void cw_run_staging_choice_measured(struct cw_run_staging_choice *c, bool write, size_t bytes,
                                    enum cw_run_staging_way way, double ns)
{
    struct cw_arm *arm = &c->arm[write][class_of(bytes)][way];
    double cost = fmax(ns, 1) / (double)(bytes ? bytes : 1);

    /* a first time includes caches that are cold */
    if (!arm->pulls || cost < arm->mean)
        arm->mean = cost;
    else
        arm->mean += FORGET * (cost - arm->mean);
    arm->pulls += arm->pulls < UINT32_MAX;
}

static double pool_ns(size_t pool_bytes)
{
    return PIN_NS_PER_BYTE * (double)pool_bytes + START_NS;
}

bool cw_run_staging_choice_missed(struct cw_run_staging_choice *c, size_t bytes, size_t pool_bytes)
{
    c->missed_ns += GAIN_NS_PER_BYTE * (double)bytes;
    return c->missed_ns >= pool_ns(pool_bytes);
}

bool cw_run_staging_choice_pays_alone(size_t bytes, size_t pool_bytes)
{
    return GAIN_NS_PER_BYTE * (double)bytes >= pool_ns(pool_bytes);
}

unsigned cw_run_staging_choice_threads(unsigned processors)
{
    unsigned half = processors / 2;

    return processors < LEAST_PROCESSORS ? 0 : half < MOST_THREADS ? half : MOST_THREADS;
}

size_t cw_run_staging_choice_piece(size_t bytes, size_t chunk, unsigned *threads)
{
    size_t most = bytes / THREAD_BYTES, piece;

    if (*threads > most)
        *threads = most ? (unsigned)most : 1;
    piece = bytes / *threads / 4;
    piece = piece < LEAST_PIECE ? LEAST_PIECE : piece;
    return piece < chunk ? piece : chunk;
}
