/* table.c - each round writes a table, which every work-item of a launch may read as a whole, and half of
 * which the next launch writes. */
#include "common.h"

enum { WORDS = 1 << 21, ITEMS = 1 << 15, ROUNDS = 4 };

static uint32_t table[WORDS], got[ITEMS];

static void fill(uint32_t *state)
{
    for (size_t i = 0; i < WORDS; i++)
        table[i] = app_random(state);
}

static uint32_t looked_up(uint32_t i)
{
    uint32_t sum = 0, at = i;

    for (int k = 0; k < 64; k++) {
        at = at * 1664525u + 1013904223u;
        sum += table[at >> 11];
    }
    return sum;
}

int main(void)
{
    uint32_t state = 7;
    cl_kernel look, turn;
    cl_mem from, to;
    struct app a;

    app_open(&a, "table", 0,
             "kernel void look(global const uint *table, global uint *to) {\n"
             "    uint i = get_global_id(0), sum = 0, at = i;\n"
             "    for (int k = 0; k < 64; k++) {\n"
             "        at = at * 1664525u + 1013904223u;\n"
             "        sum += table[at >> 11];\n"
             "    }\n"
             "    to[i] = sum;\n"
             "}\n"
             "kernel void turn(global uint *table) { size_t i = get_global_id(0); table[i] = table[i] * 5 + "
             "1; }\n");
    look = app_kernel(&a, "look");
    turn = app_kernel(&a, "turn");
    from = app_buffer(&a, CL_MEM_READ_WRITE, sizeof table, NULL);
    to = app_buffer(&a, CL_MEM_READ_WRITE, sizeof got, NULL);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        if (round % 2 == 0) {
            fill(&state);
            APP_CHECK(clEnqueueWriteBuffer(a.queue, from, CL_FALSE, 0, sizeof table, table, 0, NULL, NULL));
        } else {
            for (size_t i = 0; i < WORDS / 2; i++)
                table[i] = table[i] * 5 + 1;
            app_args(turn, "m", from);
            app_run(a.queue, turn, WORDS / 2, 64, 0, NULL, NULL);
        }
        app_args(look, "mm", from, to);
        app_run(a.queue, look, ITEMS, 64, 0, NULL, NULL);
        app_read(&a, to, 0, sizeof got, got);
        for (uint32_t i = 0; i < ITEMS; i += 97)
            app_expect(&a, got[i] == looked_up(i), "round %d, item %u", round, i);
    }
    app_release_mems((cl_mem[]){from, to}, 2);
    APP_CHECK(clReleaseKernel(look));
    APP_CHECK(clReleaseKernel(turn));
    return app_close(&a);
}
