/* Staged transfers: a transfer in pieces, the pages that it is read to, and the choice of its way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../shim/run/staging/staging_choice.h"
#include "../../shim/run/staging/staging_pages.h"
#include "../../shim/run/staging/staging_pieces.h"

enum { BUFFER = 5000, MOST = 400 };

static unsigned seed = 1;

static size_t any(size_t n)
{
    seed = seed * 1103515245u + 12345u;
    return seed / 65536u % n;
}

static struct cw_run_staging_shape random_shape(void)
{
    struct cw_run_staging_shape s = {.region = {1 + any(60), 1 + any(5), 1 + any(4)}};

    for (int d = 0; d < 3; d++) {
        s.buffer.origin[d] = any(4);
        s.host.origin[d] = any(3);
    }
    s.buffer.row = any(3) ? s.region[0] + any(9) : 0;
    s.host.row = any(3) ? s.region[0] + any(9) : 0;
    s.buffer.slice = s.buffer.row && any(2) ? s.buffer.row * (s.region[1] + any(3)) : 0;
    s.host.slice = s.host.row && any(2) ? s.host.row * (s.region[1] + any(3)) : 0;
    return s;
}

/* The pieces of a random transfer, by way of a chunk, do as a loop over its bytes does. */
static void transfer(const struct cw_run_staging_shape *s, size_t least)
{
    static uint8_t host[BUFFER], buffer[BUFFER], want[BUFFER], chunk[MOST];
    struct cw_run_staging_cut cut;
    struct cw_run_staging_piece p;
    size_t bytes = 0;

    for (size_t i = 0; i < BUFFER; i++) {
        host[i] = (uint8_t)any(256);
        buffer[i] = want[i] = 0;
    }
    for (size_t z = 0; z < s->region[2]; z++)
        for (size_t y = 0; y < s->region[1]; y++)
            for (size_t x = 0; x < s->region[0]; x++) {
                const struct cw_run_staging_piece one = {{x, y, z}, {1, 1, 1}};
                want[cw_run_staging_pieces_offset(&s->buffer, &one)] =
                    host[cw_run_staging_pieces_offset(&s->host, &one)];
            }
    cw_run_staging_pieces_cut(s, least + any(MOST + 1 - least), &cut);
    for (size_t i = 0; i < cut.n; i++) {
        cw_run_staging_pieces_at(s, &cut, i, &p);
        assert_true(p.size[0] * p.size[1] * p.size[2] <= MOST);
        bytes += p.size[0] * p.size[1] * p.size[2];
        cw_run_staging_pieces_gather(chunk, host, s, &p);
        for (size_t z = 0; z < p.size[2]; z++)
            for (size_t y = 0; y < p.size[1]; y++)
                memcpy(buffer + cw_run_staging_pieces_offset(&s->buffer, &p) + y * s->buffer.row +
                           z * s->buffer.slice,
                       chunk + (z * p.size[1] + y) * p.size[0], p.size[0]);
    }
    assert_int_equal(bytes, cw_run_staging_pieces_bytes(s));
    assert_memory_equal(buffer, want, BUFFER);
}

static void pieces_are_the_transfer(void **state)
{
    int checked = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct cw_run_staging_shape s = random_shape();
        if (!cw_run_staging_pieces_check(&s, BUFFER) || cw_run_staging_pieces_host_span(&s) > BUFFER)
            continue;
        transfer(&s, 1);
        checked++;
    }
    assert_true(checked > 1000);
}

/* An image: the same in pixels, whose bytes stay together. The host's slices need not be of whole rows. */
static void pieces_of_images_are_the_transfer(void **state)
{
    static const size_t pixels[] = {1, 2, 3, 4, 6, 8, 12, 16};
    struct cw_run_staging_cut cut;
    struct cw_run_staging_piece p;
    int checked = 0;

    (void)state;
    for (int i = 0; i < 30000; i++) {
        size_t pixel = pixels[any(8)], extent[3] = {1 + any(25), 1 + any(5), 1 + any(4)};
        struct cw_run_staging_shape s = {.region = {1 + any(25), 1 + any(5), 1 + any(4)}};

        for (int d = 0; d < 3; d++)
            s.buffer.origin[d] = any(3);
        s.host.row = any(3) ? (s.region[0] + any(5)) * pixel : 0;
        s.host.slice = s.host.row && any(2) ? s.host.row * s.region[1] + any(9) * pixel : 0;
        if (!cw_run_staging_pieces_check_image(&s, pixel, extent) ||
            cw_run_staging_pieces_host_span(&s) > BUFFER ||
            extent[0] * extent[1] * extent[2] * pixel > BUFFER)
            continue;
        assert_int_equal(s.buffer.row, extent[0] * pixel);
        transfer(&s, pixel);
        cw_run_staging_pieces_cut(&s, pixel + any(MOST - pixel), &cut);
        for (size_t k = 0; k < cut.n; k++) {
            cw_run_staging_pieces_at(&s, &cut, k, &p);
            assert_int_equal(p.at[0] % pixel + p.size[0] % pixel, 0);
        }
        cw_run_staging_pieces_tail(&s, 64, &p);
        assert_int_equal(p.at[0] % pixel + p.size[0] % pixel, 0);
        assert_true(p.size[0] && p.size[0] <= 64);
        checked++;
    }
    assert_true(checked > 1000);
}

static void wrong_shapes_of_images_are_refused(void **state)
{
    const size_t extent[3] = {10, 5, 2};
    const struct cw_run_staging_shape wrong[] = {
        {.region = {11, 1, 1}},
        {.region = {10, 1, 1}, .buffer.origin = {1, 0, 0}},
        {.region = {1, 5, 1}, .buffer.origin = {0, 1, 0}},
        {.region = {1, 1, 1}, .buffer.origin = {0, 0, 2}},
        {.region = {1, 1, 1}, .buffer.origin = {SIZE_MAX, 0, 0}},
        {.region = {0, 1, 1}},
        {.region = {10, 2, 1}, .host.row = 39},
        {.region = {10, 2, 1}, .host.row = 36},
        {.region = {10, 2, 2}, .host = {.row = 40, .slice = 76}},
        {.region = {10, 2, 2}, .host = {.row = 40, .slice = 82}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cw_run_staging_shape s = wrong[i];
        assert_false(cw_run_staging_pieces_check_image(&s, 4, extent));
    }
    for (size_t pixel = 0; pixel < 2; pixel++) {
        struct cw_run_staging_shape s = {.region = {1, 1, 1}};
        assert_false(cw_run_staging_pieces_check_image(&s, pixel ? SIZE_MAX / 2 : 0, extent));
    }
}

static void scatter_undoes_gather(void **state)
{
    uint8_t host[BUFFER], again[BUFFER], chunk[MOST];
    struct cw_run_staging_shape s = {.region = {10, 4, 3},
                                     .host = {.origin = {3, 1, 2}, .row = 17, .slice = 85}};
    struct cw_run_staging_cut cut;
    struct cw_run_staging_piece p;

    (void)state;
    assert_true(cw_run_staging_pieces_check(&s, BUFFER));
    for (size_t i = 0; i < BUFFER; i++)
        host[i] = again[i] = (uint8_t)i;
    cw_run_staging_pieces_cut(&s, 40, &cut);
    assert_int_equal(cut.n, 3);
    for (size_t i = 0; i < cut.n; i++) {
        cw_run_staging_pieces_at(&s, &cut, i, &p);
        cw_run_staging_pieces_gather(chunk, host, &s, &p);
        memset(again + cw_run_staging_pieces_offset(&s.host, &p), 0, p.size[0]);
        cw_run_staging_pieces_scatter(again, chunk, &s, &p);
    }
    assert_memory_equal(host, again, BUFFER);
}

static void wrong_shapes_are_refused(void **state)
{
    const struct cw_run_staging_shape wrong[] = {
        {.region = {0, 1, 1}},
        {.region = {10, 0, 1}},
        {.region = {BUFFER + 1, 1, 1}},
        {.region = {10, 1, 1}, .buffer.origin = {BUFFER - 9, 0, 0}},
        {.region = {10, 1, 1}, .buffer.origin = {SIZE_MAX, 0, 0}},
        {.region = {10, 2, 1}, .buffer.row = 9},
        {.region = {10, 2, 1}, .host.row = 9},
        {.region = {10, 2, 2}, .host = {.row = 10, .slice = 19}},
        {.region = {10, 2, 2}, .host = {.row = 10, .slice = 25}},
        {.region = {SIZE_MAX, 2, 1}},
        {.region = {SIZE_MAX / 2, 2, 2}},
        {.region = {1, 1, 1}, .host = {.origin = {0, SIZE_MAX, 0}, .row = 16}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cw_run_staging_shape s = wrong[i];
        assert_false(cw_run_staging_pieces_check(&s, BUFFER));
    }
}

static void the_tail_is_the_last_bytes(void **state)
{
    struct cw_run_staging_shape s = {.region = {100, 3, 2}};
    struct cw_run_staging_piece p;

    (void)state;
    assert_true(cw_run_staging_pieces_check(&s, BUFFER));
    cw_run_staging_pieces_tail(&s, 64, &p);
    assert_int_equal(cw_run_staging_pieces_offset(&s.buffer, &p), 600 - 64);
    assert_int_equal(p.size[0] * p.size[1] * p.size[2], 64);
}

/* ---- pages */

enum { PAGES = 24 };
static size_t page;

static uint8_t *map(int protection, int flags, int fd)
{
    uint8_t *all = mmap(NULL, PAGES * page, protection, flags, fd, 0);

    assert_true(all != MAP_FAILED);
    madvise(all, PAGES * page, MADV_NOHUGEPAGE);
    return all;
}

static unsigned count_pages(uint8_t *all)
{
    unsigned char in[PAGES];
    unsigned n = 0;

    assert_int_equal(mincore(all, PAGES * page, in), 0);
    for (int i = 0; i < PAGES; i++)
        n += in[i] & 1;
    return n;
}

/* Rows of `bytes` bytes, `row` bytes from start to start, from half a page behind `all` on. */
static void make_pages(uint8_t *all, size_t bytes, size_t rows, size_t row)
{
    struct cw_run_staging_shape s = {.region = {bytes, rows, 1}, .host.row = row};
    struct cw_run_staging_piece p = {.size = {bytes, rows, 1}};

    assert_true(cw_run_staging_pieces_check(&s, SIZE_MAX));
    cw_run_staging_pages_make(all + page / 2, &s, &p);
}

/* None are where the kernel is too old for it. */
static void pages_are_made_where_bytes_will_be(void **state)
{
    const struct {
        size_t bytes, rows, row;
        unsigned pages; /* that have some of its bytes */
    } of[] = {{1, 1, 1, 1},       {page, 1, page, 2},         {page * 4, 1, page * 4, 5},
              {100, 200, 105, 6}, {page, 3, 2 * page - 1, 6}, {page, 3, 2 * page, 0},
              {page, 3, page, 4}};
    bool old = false;

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        uint8_t *all = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        unsigned n;

        make_pages(all, of[i].bytes, of[i].rows, of[i].row);
        n = count_pages(all);
        old |= !i && !n;
        assert_int_equal(n, old ? 0 : of[i].pages);
        for (size_t k = 0; k < PAGES * page; k++)
            assert_int_equal(all[k], 0);
        munmap(all, PAGES * page);
    }
}

/* Of the pages that are made some are there: of memory, and of a file. */
static void pages_keep_what_is_in_them(void **state)
{
    FILE *file = tmpfile();
    uint8_t *all = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    (void)state;
    memset(all, 7, page);
    memset(all + 7 * page, 7, page);
    make_pages(all, 7 * page, 1, 7 * page);
    for (size_t i = 0; i < 8 * page; i++)
        assert_int_equal(all[i], i < page || i >= 7 * page ? 7 : 0);
    munmap(all, PAGES * page);
    assert_non_null(file);
    for (size_t i = 0; i < PAGES * page; i++)
        putc(7, file);
    fflush(file);
    for (int shared = 0; shared < 2; shared++) {
        all = map(PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, fileno(file));
        make_pages(all, 5 * page, 1, 5 * page);
        for (size_t i = 0; i < PAGES * page; i++)
            assert_int_equal(all[i], 7);
        munmap(all, PAGES * page);
    }
    fclose(file);
}

/* Memory that cannot be written, and none at all: the copy meets it as it would. */
static void pages_that_cannot_be_made_are_left(void **state)
{
    uint8_t *all = map(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);

    (void)state;
    make_pages(all, 5 * page, 1, 5 * page);
    assert_int_equal(count_pages(all), 0);
    munmap(all, PAGES * page);
    make_pages(all, 5 * page, 1, 5 * page);
    assert_int_equal(msync(all, PAGES * page, MS_ASYNC), -1);
}

/* ---- the choice */

#define MIB ((size_t)1 << 20)

/* Plays transfers of one size; returns how many went through the pool. */
static int play(double vendor_ns, double staged_ns, int times)
{
    struct cw_run_staging_choice *c = calloc(1, sizeof *c);
    int staged = 0;

    assert_non_null(c);
    for (int i = 0; i < times; i++) {
        enum cw_run_staging_way way = cw_run_staging_choice_next(c, true, 4 * MIB);
        double scatter = 1 + .02 * (double)(i % 3);
        cw_run_staging_choice_measured(c, true, 4 * MIB, way,
                                       scatter * (way == CW_RUN_STAGING_STAGED ? staged_ns : vendor_ns));
        staged += way == CW_RUN_STAGING_STAGED;
    }
    assert_int_equal(cw_run_staging_choice_best(c, true, 4 * MIB),
                     staged_ns < vendor_ns ? CW_RUN_STAGING_STAGED : CW_RUN_STAGING_VENDOR);
    assert_int_equal(cw_run_staging_choice_best(c, false, 4 * MIB), CW_RUN_STAGING_STAGED);
    if (times > 100)
        assert_int_equal(cw_run_staging_choice_settled(c, true, 4 * MIB),
                         vendor_ns < staged_ns && staged > 1);
    free(c);
    return staged;
}

static void the_quicker_way_is_taken(void **state)
{
    (void)state;
    assert_true(play(400e3, 150e3, 200) >= 195);
    assert_true(play(150e3, 400e3, 200) <= 5);
    assert_true(play(150e3, 180e3, 200) <= 10);
}

/* After a class of each kind, trials in its neighbours that would be in vain are spared. */
static void neighbours_spare_trials(void **state)
{
    struct cw_run_staging_choice *c = calloc(1, sizeof *c);

    (void)state;
    assert_non_null(c);
    assert_true(cw_run_staging_choice_vendor_ns(c, true, 128 * MIB) == 0);
    cw_run_staging_choice_measured(c, true, 128 * MIB, CW_RUN_STAGING_VENDOR, 14e6);
    assert_true(cw_run_staging_choice_vendor_ns(c, true, 128 * MIB) == 14e6);
    assert_true(cw_run_staging_choice_vendor_ns(c, true, 256 * MIB) == 28e6); /* by the class nearby */
    assert_true(cw_run_staging_choice_vendor_ns(c, false, 128 * MIB) == 0);
    cw_run_staging_choice_measured(c, true, 512 * MIB, CW_RUN_STAGING_STAGED, 12e6);
    assert_int_equal(cw_run_staging_choice_next(c, true, 512 * MIB), CW_RUN_STAGING_STAGED);
    cw_run_staging_choice_measured(c, true, 4 * MIB, CW_RUN_STAGING_VENDOR, 350e3);
    cw_run_staging_choice_measured(c, true, 4 * MIB, CW_RUN_STAGING_STAGED, 420e3);
    assert_int_equal(cw_run_staging_choice_next(c, true, 2 * MIB), CW_RUN_STAGING_VENDOR);
    for (int i = 0; i < 4; i++)
        cw_run_staging_choice_measured(c, true, 2 * MIB, CW_RUN_STAGING_VENDOR, 180e3);
    assert_true(cw_run_staging_choice_settled(c, true, 2 * MIB));
    assert_int_equal(cw_run_staging_choice_next(c, true, 8 * MIB), CW_RUN_STAGING_STAGED);
    assert_int_equal(cw_run_staging_choice_next(c, false, 2 * MIB), CW_RUN_STAGING_STAGED);
    free(c);
}

static void the_pool_pays_after_some_transfers(void **state)
{
    struct cw_run_staging_choice *c = calloc(1, sizeof *c);
    size_t seen = 0;

    (void)state;
    assert_non_null(c);
    do
        seen += 16 * MIB;
    while (!cw_run_staging_choice_missed(c, 16 * MIB, 32 * MIB));
    assert_in_range(seen, 128 * MIB, 512 * MIB);
    assert_false(cw_run_staging_choice_pays_alone(seen - 16 * MIB, 32 * MIB));
    assert_true(cw_run_staging_choice_pays_alone(seen, 32 * MIB));
    free(c);
}

static void few_processors_have_no_crew(void **state)
{
    unsigned threads = 8;

    (void)state;
    assert_int_equal(cw_run_staging_choice_threads(1), 0);
    assert_int_equal(cw_run_staging_choice_threads(3), 0);
    assert_int_equal(cw_run_staging_choice_threads(4), 2);
    assert_int_equal(cw_run_staging_choice_threads(64), 8);
    assert_int_equal(cw_run_staging_choice_piece(512 * MIB, 2 * MIB, &threads), 2 * MIB);
    assert_int_equal(threads, 8);
    assert_in_range(cw_run_staging_choice_piece(4 * MIB, 2 * MIB, &threads), MIB / 4, MIB);
    assert_int_equal(threads, 2);
    assert_in_range(cw_run_staging_choice_piece(1, 2 * MIB, &threads), 1, 2 * MIB);
    assert_int_equal(threads, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_the_transfer),
        cmocka_unit_test(pieces_of_images_are_the_transfer),
        cmocka_unit_test(wrong_shapes_of_images_are_refused),
        cmocka_unit_test(scatter_undoes_gather),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(the_tail_is_the_last_bytes),
        cmocka_unit_test(pages_are_made_where_bytes_will_be),
        cmocka_unit_test(pages_keep_what_is_in_them),
        cmocka_unit_test(pages_that_cannot_be_made_are_left),
        cmocka_unit_test(the_quicker_way_is_taken),
        cmocka_unit_test(neighbours_spare_trials),
        cmocka_unit_test(the_pool_pays_after_some_transfers),
        cmocka_unit_test(few_processors_have_no_crew),
    };

    page = (size_t)sysconf(_SC_PAGESIZE);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
