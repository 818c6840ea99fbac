/* disjoint.c - many writers of one buffer, each of its own part, and readers that must never see the round
 * before.
 *
 * Each round, eight parts are written: some by a kernel that gets the whole buffer and an offset, some by a
 * kernel that gets a sub-buffer, some by the host, some by a copy from another part's source; each is read at
 * once without blocking, and the whole buffer at the end of the round by the other queue. A read that shows
 * another round is stale. Two in-order queues take turns.
 *
 * usage: disjoint [rounds]   default 100; each has nine reads */
#include "common.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 8
#define WORDS 256 /* of a part: a multiple of any device's alignment of sub-buffers */
#define BYTES (WORDS * sizeof(uint32_t))

static const char source[] =
    "uint value(uint round, uint i) { return round * 2654435761u + (i ^ (round << 7)); }\n"
    "kernel void whole(global uint *all, uint first, uint round) {\n"
    "    uint i = first + get_global_id(0);\n"
    "    all[i] = value(round, i);\n"
    "}\n"
    "kernel void part(global uint *mine, uint first, uint round) {\n"
    "    uint i = get_global_id(0);\n"
    "    mine[i] = value(round, first + i);\n"
    "}\n";

struct disjoint {
    struct app a;
    cl_command_queue queues[2];
    cl_kernel whole, part;
    cl_mem all, side, parts[PARTS];
    uint32_t from[PARTS][WORDS], to[PARTS][WORDS], every[PARTS * WORDS];
};

static uint32_t value(uint32_t round, uint32_t i)
{
    return round * 2654435761u + (i ^ (round << 7));
}

static void fill(uint32_t *to, uint32_t part, uint32_t round)
{
    for (uint32_t i = 0; i < WORDS; i++)
        to[i] = value(round, part * WORDS + i);
}

static void write_part(struct disjoint *d, cl_command_queue queue, uint32_t p, uint32_t round)
{
    cl_uint first = p * WORDS;
    switch ((p + round) % 4) {
    case 0:
        app_args(d->whole, "muu", d->all, first, round);
        app_run(queue, d->whole, WORDS, 0, 0, NULL, NULL);
        break;
    case 1:
        app_args(d->part, "muu", d->parts[p], first, round);
        app_run(queue, d->part, WORDS, 0, 0, NULL, NULL);
        break;
    case 2:
        fill(d->from[p], p, round);
        APP_CHECK(clEnqueueWriteBuffer(queue, d->all, CL_FALSE, p * BYTES, BYTES, d->from[p], 0, NULL, NULL));
        break;
    default:
        app_args(d->whole, "muu", d->side, first, round);
        app_run(queue, d->whole, WORDS, 0, 0, NULL, NULL);
        APP_CHECK(clEnqueueCopyBuffer(queue, d->side, d->all, p * BYTES, p * BYTES, BYTES, 0, NULL, NULL));
    }
}

static void one_round(struct disjoint *d, uint32_t round)
{
    cl_command_queue writer = d->queues[round % 2], reader = d->queues[(round + 1) % 2];
    cl_event written;
    for (uint32_t p = 0; p < PARTS; p++) {
        write_part(d, writer, p, round);
        APP_CHECK(clEnqueueReadBuffer(writer, d->all, CL_FALSE, p * BYTES, BYTES, d->to[p], 0, NULL,
                                      p == PARTS - 1 ? &written : NULL));
    }
    APP_CHECK(clFlush(writer));
    APP_CHECK(clEnqueueReadBuffer(reader, d->all, CL_TRUE, 0, sizeof d->every, d->every, 1, &written, NULL));
    APP_CHECK(clReleaseEvent(written));
    for (uint32_t p = 0; p < PARTS; p++) {
        uint32_t want[WORDS];
        fill(want, p, round);
        app_expect_words(&d->a, "part", d->to[p], want, WORDS);
        app_expect_words(&d->a, "whole", d->every + p * WORDS, want, WORDS);
        app_hash(&d->a, d->to[p], BYTES);
    }
    app_hash(&d->a, d->every, sizeof d->every);
}

int main(int argc, char **argv)
{
    uint32_t rounds = (uint32_t)app_size(argc, argv, 1, 100, 1, 1 << 20);
    struct disjoint *d = app_alloc(sizeof *d);
    memset(d, 0, sizeof *d);
    app_open(&d->a, "disjoint", 0, source);
    d->whole = app_kernel(&d->a, "whole");
    d->part = app_kernel(&d->a, "part");
    d->all = app_buffer(&d->a, CL_MEM_READ_WRITE, sizeof d->every, NULL);
    d->side = app_buffer(&d->a, CL_MEM_READ_WRITE, sizeof d->every, NULL);
    for (size_t p = 0; p < PARTS; p++)
        d->parts[p] = app_sub_buffer(d->all, CL_MEM_READ_WRITE, p * BYTES, BYTES);
    for (size_t q = 0; q < 2; q++)
        d->queues[q] = app_queue(&d->a, 0);
    for (uint32_t round = 1; round <= rounds; round++)
        one_round(d, round);
    app_release_mems(d->parts, PARTS);
    app_release_mems(&d->all, 1);
    app_release_mems(&d->side, 1);
    for (size_t q = 0; q < 2; q++)
        APP_CHECK(clReleaseCommandQueue(d->queues[q]));
    APP_CHECK(clReleaseKernel(d->whole));
    APP_CHECK(clReleaseKernel(d->part));
    int status = app_close(&d->a);
    free(d);
    return status;
}
