/* Checkpoints of a farm that are cut and damaged at every byte, and those of others. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/farm/farm_checkpoint.h"
#include "../../analyzer/io/identity.h"
#include "../../analyzer/io/folders.h"
#include "farm_plan.h"

static char path[64];

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(cw_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(cw_crc32(cw_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

/* Appends a result for each task from `first` on, `n` of them. */
static void append(struct cw_farm_checkpoint *c, uint32_t first, uint32_t n)
{
    struct cw_farm_bytes b = {0};
    struct cw_error err = {0};
    char text[16];

    for (uint32_t t = first; t < first + n; t++) {
        struct cw_farm_result r = {.task = t, .end = CW_FARM_EXIT, .value = t == 3 ? 9 : 0, .out = text};
        r.out_bytes = (uint32_t)snprintf(text, sizeof text, "result %u", t);
        assert_true(cw_farm_result_add(&b, &r));
    }
    assert_int_equal(cw_farm_checkpoint_append(c, &b, &err), CW_OK);
    free(b.v);
}

static void check_result(const struct cw_farm_checkpoint *c, uint32_t task)
{
    struct cw_farm_bytes b = {0};
    struct cw_farm_result r;
    char text[16];
    int n = snprintf(text, sizeof text, "result %u", task);

    assert_int_equal(cw_farm_checkpoint_read(c, task, &b, &r, NULL), CW_OK);
    assert_true(r.task == task && r.out_bytes == (uint32_t)n && !memcmp(r.out, text, (size_t)n));
    free(b.v);
}

static char *read_file(size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *v = malloc(1 << 16);

    assert_non_null(f);
    *n = fread(v, 1, 1 << 16, f);
    fclose(f);
    return v;
}

static void write_file(const char *v, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_int_equal(fwrite(v, 1, n, f), n);
    fclose(f);
}

/* A checkpoint with 2, 3 and 1 results in its batches; where these end. */
static char *make_checkpoint(size_t end[4])
{
    struct cw_farm_plan p;
    struct cw_farm_checkpoint c;
    struct cw_error err = {0};
    size_t n;

    make_plan(&p, "a\n\nb c\n'd e'\nf\ng\nh\n");
    assert_int_equal(p.tasks, 6);
    unlink(path);
    assert_int_equal(cw_farm_checkpoint_create(&c, path, &p, &err), CW_OK);
    end[0] = c.bytes;
    append(&c, 0, 2);
    end[1] = c.bytes;
    append(&c, 2, 3);
    end[2] = c.bytes;
    append(&c, 5, 1);
    end[3] = c.bytes;
    assert_int_equal(c.failed, 1);
    assert_int_equal(cw_farm_checkpoint_flush(&c, &err), CW_OK);
    cw_farm_checkpoint_close(&c);
    cw_farm_plan_finish(&p);
    return read_file(&n);
}

/* The results that whole batches before byte `n` hold. */
static uint32_t results_before(const size_t end[4], size_t n)
{
    return n >= end[3] ? 6 : n >= end[2] ? 5 : n >= end[1] ? 2 : 0;
}

/* Opens the file, which is `n` bytes of which those from `good` on are damaged. */
static void check_opened(const size_t end[4], size_t good, size_t n, bool write)
{
    struct cw_farm_plan p;
    struct cw_farm_checkpoint c;
    struct cw_error err = {0};
    enum cw_status status = cw_farm_checkpoint_open(&c, path, write, &p, &err);

    if (good < end[0]) {
        assert_true(status == CW_ERR_FORMAT || status == CW_ERR_VERSION);
        cw_farm_plan_finish(&p);
        return;
    }
    assert_int_equal(status, CW_OK);
    assert_int_equal(c.done, results_before(end, good));
    for (uint32_t t = 0; t < c.done; t++)
        check_result(&c, t);
    if (!write)
        assert_int_equal(c.bytes + c.dropped, n);
    if (write && c.done < 6) { /* the file goes on where it was whole */
        append(&c, c.done, 6 - c.done);
        cw_farm_checkpoint_close(&c);
        cw_farm_plan_finish(&p);
        assert_int_equal(cw_farm_checkpoint_open(&c, path, false, &p, &err), CW_OK);
        assert_int_equal(c.done, 6);
        assert_int_equal(c.dropped, 0);
        check_result(&c, 5);
    }
    cw_farm_checkpoint_close(&c);
    cw_farm_plan_finish(&p);
}

static void test_cut(void **state)
{
    size_t end[4];
    char *v = make_checkpoint(end);

    (void)state;
    for (size_t n = 0; n <= end[3]; n++) {
        write_file(v, n);
        check_opened(end, n, n, false);
        if (n % 64 == 5)
            check_opened(end, n, n, true);
    }
    free(v);
}

static void test_damaged(void **state)
{
    size_t end[4];
    char *v = make_checkpoint(end);

    (void)state;
    for (size_t n = 0; n < end[3]; n++) {
        v[n] ^= 0x10;
        write_file(v, end[3]);
        check_opened(end, n, end[3], false);
        v[n] ^= 0x10;
    }
    free(v);
}

/* A file that is there is not written over, a busy one not opened twice; the plan comes back as it was. */
static void test_owners(void **state)
{
    struct cw_farm_plan p, q;
    struct cw_farm_checkpoint a, b;
    struct cw_error err = {0};
    pid_t child;

    (void)state;
    unlink(path);
    make_plan(&p, "1\n2\n");
    assert_int_equal(cw_farm_checkpoint_create(&a, path, &p, &err), CW_OK);
    assert_int_equal(cw_farm_checkpoint_create(&b, path, &p, NULL), CW_ERR_INVALID);
    assert_int_equal(cw_farm_checkpoint_open(&b, path, true, &q, NULL), CW_ERR_INVALID);
    cw_farm_plan_finish(&q);
    assert_int_equal(cw_farm_checkpoint_open(&b, path, false, &q, &err), CW_OK);
    assert_true(cw_farm_checkpoint_busy(&b));
    assert_true(cw_farm_plan_same(&p, &q) && q.timeout_s == 1.5 && q.tries == 3 && q.tasks == 2);
    child = fork(); /* a process that a killed farm has just made */
    if (child == 0) {
        poll(NULL, 0, 100);
        _exit(0);
    }
    close(a.fd);
    a.fd = -1;
    assert_true(cw_farm_checkpoint_busy(&b));
    cw_farm_plan_finish(&q);
    cw_farm_checkpoint_close(&b);
    assert_int_equal(cw_farm_checkpoint_open(&b, path, true, &q, &err), CW_OK);
    assert_int_equal(waitpid(child, NULL, 0), child);
    cw_farm_checkpoint_close(&a);
    cw_farm_checkpoint_close(&b);
    cw_farm_plan_finish(&q);
    cw_farm_plan_finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_owners),
    };
    int result;

    snprintf(path, sizeof path, "%s/clweave-farm.%d", cw_temporary_folder(), (int)getpid());
    result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return result;
}
