/* adaptive_machine.h - devices of known speed under the adaptive controller, in exact virtual time; the best
 * static split. Every launch checks that each group is done once. Needs cmocka. */
#ifndef ADAPTIVE_MACHINE_H
#define ADAPTIVE_MACHINE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sched/adaptive.h"
#include "../../sched/random.h"

enum { MOST = 8, GROUPS_MOST = 20000 };

/* Devices that do so many groups per ns; from `change_ns` on, device `changing` does `speed_then`. */
struct machine {
    uint32_t devices;
    double speed[MOST];
    double overhead_ns;
    uint32_t changing;
    double change_ns, speed_then;
    uint32_t dying;   /* 0: none; else device dying - 1 fails ... */
    uint32_t dies_at; /* ... in its part of this number */
    uint64_t random;  /* 0: devices ask in their order; else which of several asks first is random */
    void (*watch)(const struct cw_adaptive *a, const struct machine *m, double now_ns, uint32_t device,
                  uint64_t groups); /* after each report; NULL: nobody */
    bool unmeasured;                /* device 0 reports 0 ns */
    double noise;                   /* a part takes up to so much more or less of its time ... */
    uint64_t noise_random;          /* ... by this */
};

struct result {
    double ns;
    uint32_t parts;
    uint32_t late; /* parts that the changing device began after its change, up to the last whose report left
                      its share wrong */
    uint64_t groups[MOST];
    uint32_t pieces; /* runs of groups that lie side by side and that one device has done */
};

static inline double ends_at(const struct machine *m, uint32_t d, double at, uint64_t groups)
{
    double left = (double)groups, speed = m->speed[d];

    at += m->overhead_ns;
    if (m->change_ns > 0 && d == m->changing) {
        if (at < m->change_ns && (m->change_ns - at) * speed >= left)
            return at + left / speed;
        left -= at < m->change_ns ? (m->change_ns - at) * speed : 0;
        at = at < m->change_ns ? m->change_ns : at;
        speed = m->speed_then;
    }
    return at + left / speed;
}

static uint8_t did[GROUPS_MOST];    /* how often */
static uint8_t did_by[GROUPS_MOST]; /* by which device */

/* When a part that begins at `at` ends. */
static double part_ends_at(struct machine *m, uint32_t d, double at, uint64_t groups)
{
    double end = ends_at(m, d, at, groups);

    if (m->noise > 0)
        end += (end - at - m->overhead_ns) * cw_random_uniform(&m->noise_random, -m->noise, m->noise);
    return end;
}

/* Whether the share of the device that has changed is not within a tenth of what it is now. */
static bool is_off(const struct cw_adaptive *a, const struct machine *m)
{
    double all = 0, share;

    for (uint32_t d = 0; d < m->devices; d++)
        all += d == m->changing ? m->speed_then : m->speed[d];
    share = m->speed_then / all;
    return fabs(cw_adaptive_share(a, m->changing) - share) > .1 * share;
}

/* One launch, event by event. Checks that each group is done once. */
static inline struct result launch(struct cw_adaptive *a, struct machine *m, uint64_t groups)
{
    struct result r = {0};
    struct cw_adaptive_part part[MOST];
    double began[MOST], end[MOST], again[MOST], now = 0;
    bool busy[MOST] = {false}, asks[MOST], gone[MOST] = {false};
    uint32_t given[MOST] = {0};
    uint64_t done = 0;
    uint32_t after = 0;

    assert_true(groups <= GROUPS_MOST);
    memset(did, 0, groups);
    cw_adaptive_start(a, groups);
    for (uint32_t d = 0; d < m->devices; d++) {
        asks[d] = true;
        again[d] = INFINITY;
        gone[d] = cw_adaptive_is_lost(a, d);
    }
    for (uint64_t steps = 0; done < groups; steps++) {
        uint32_t next = MOST, first = m->random ? (uint32_t)cw_random_below(&m->random, m->devices) : 0;
        double when = INFINITY;

        assert_true(steps < 100 * groups + 10000);
        for (uint32_t k = 0; k < m->devices; k++) {
            uint32_t d = (k + first) % m->devices;
            struct cw_adaptive_part p;
            enum cw_adaptive_answer answer;
            if (!asks[d] || busy[d] || gone[d])
                continue;
            asks[d] = false;
            again[d] = INFINITY;
            answer = cw_adaptive_next(a, d, (uint64_t)now, &p);
            assert_int_not_equal(answer, CW_ADAPTIVE_DONE);
            if (answer == CW_ADAPTIVE_WAIT) {
                again[d] = p.again_ns == UINT64_MAX ? INFINITY : (double)p.again_ns;
                assert_true(again[d] > now);
                continue;
            }
            assert_true(p.groups >= 1 && p.first + p.groups <= groups);
            part[d] = p;
            busy[d] = true;
            began[d] = now;
            end[d] = part_ends_at(m, d, now, p.groups);
            r.parts++;
            given[d]++;
        }
        for (uint32_t d = 0; d < m->devices; d++) {
            double t = busy[d] ? end[d] : again[d];
            if (!gone[d] && t < when) {
                when = t;
                next = d;
            }
        }
        assert_true(next < MOST); /* else nobody would ever ask again */
        now = when > now ? when : now;
        if (!busy[next]) {
            asks[next] = true;
            continue;
        }
        busy[next] = false;
        for (uint32_t d = 0; d < m->devices; d++)
            asks[d] = true;
        if (m->dying == next + 1 && given[next] == m->dies_at) {
            cw_adaptive_lost(a, next);
            gone[next] = true;
            continue;
        }
        cw_adaptive_report(a, next, m->unmeasured && next == 0 ? 0 : (uint64_t)ceil(now - began[next]));
        if (m->watch)
            m->watch(a, m, now, next, part[next].groups);
        if (m->change_ns > 0 && next == m->changing && began[next] >= m->change_ns) {
            after++;
            r.late = is_off(a, m) ? after : r.late;
        }
        for (uint64_t g = part[next].first; g < part[next].first + part[next].groups; g++) {
            assert_int_equal(did[g]++, 0);
            did_by[g] = (uint8_t)next;
        }
        done += part[next].groups;
        r.groups[next] += part[next].groups;
    }
    for (uint32_t d = 0; d < m->devices; d++)
        assert_int_equal(cw_adaptive_next(a, d, (uint64_t)now, &part[0]), CW_ADAPTIVE_DONE);
    r.pieces = 1;
    for (uint64_t g = 1; g < groups; g++)
        r.pieces += did_by[g] != did_by[g - 1];
    r.ns = now;
    return r;
}

/* ---- the best static split, by trying all */

static inline double try_all(const struct machine *m, uint32_t d, uint64_t left, double best)
{
    double least = INFINITY;

    if (d + 1 == m->devices) {
        double own = left ? ends_at(m, d, 0, left) : 0;
        return own;
    }
    for (uint64_t g = 0; g <= left; g++) {
        double own = g ? ends_at(m, d, 0, g) : 0, rest;
        if (own >= best)
            break;
        rest = try_all(m, d + 1, left - g, best);
        own = own > rest ? own : rest;
        least = own < least ? own : least;
        best = least < best ? least : best;
    }
    return least;
}

/* The same for many groups: each to whoever would end it first, which is the best as all groups are alike. */
static inline double best_static(const struct machine *m, uint64_t groups)
{
    uint64_t given[MOST] = {0};
    double most = 0;

    for (uint64_t g = 0; g < groups; g++) {
        uint32_t best = 0;
        for (uint32_t d = 1; d < m->devices; d++)
            if (ends_at(m, d, 0, given[d] + 1) < ends_at(m, best, 0, given[best] + 1))
                best = d;
        given[best]++;
        if (ends_at(m, best, 0, given[best]) > most)
            most = ends_at(m, best, 0, given[best]);
    }
    return most;
}

#endif
