/* The farm: who holds which task under random deaths; checkpoints that are cut and damaged at every byte;
 * words of lines in commands; addresses of masters that other users' processes take. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/farm/farm_checkpoint.h"
#include "../../analyzer/farm/farm_link.h"
#include "../../analyzer/farm/farm_tree.h"
#include "../../analyzer/io/crc32.h"
#include "../../sched/dispatch_master.h"
#include "../../sched/random.h"

enum { TASKS = 500, CHILDREN = 7 };

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(cw_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(cw_crc32(cw_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

/* ---- the state of a master */

/* A child as it is: its tasks, also those that the master has given to others. */
struct child {
    uint32_t epoch, n, task[TASKS];
};

struct play {
    struct cw_dispatch_master m;
    struct child child[CHILDREN];
    uint8_t taken[TASKS];
    uint64_t random;
};

static void request(struct play *p, uint32_t k)
{
    struct child *c = &p->child[k];
    struct cw_dispatch_range r =
        cw_dispatch_master_request(&p->m, k, c->epoch, 1 + (uint32_t)cw_random_below(&p->random, 9));

    for (uint32_t t = r.first; t < r.first + r.count; t++)
        c->task[c->n++] = t;
}

static void report(struct play *p, uint32_t k)
{
    struct child *c = &p->child[k];
    bool failed = cw_random_below(&p->random, 4) == 0;
    uint32_t t = c->task[--c->n];

    switch (cw_dispatch_master_report(&p->m, k, c->epoch, t, failed)) {
    case CW_DISPATCH_TAKE:
        assert_int_equal(p->taken[t]++, 0);
        break;
    case CW_DISPATCH_STALE:
        fail_msg("a living child's report of task %u is stale", t);
        break;
    case CW_DISPATCH_NOMEM:
        fail();
        break;
    default:
        assert_true(failed);
    }
}

/* The master hears of a death; reports of the dead come after. */
static void death(struct play *p, uint32_t k)
{
    struct child *c = &p->child[k], dead = *c;
    uint32_t running = c->n ? c->task[c->n - 1] : CW_DISPATCH_NOBODY;

    if (cw_dispatch_master_death(&p->m, k, running) == CW_DISPATCH_TAKE)
        assert_int_equal(p->taken[running]++, 0);
    *c = (struct child){.epoch = p->m.child[k].epoch};
    assert_int_equal(p->m.child[k].held, 0);
    for (int i = 0; i < 3 && p->m.queue.used; i++) /* the successor may have the same tasks again */
        request(p, k);
    for (uint32_t i = 0; i < dead.n; i++)
        assert_int_equal(cw_dispatch_master_report(&p->m, k, dead.epoch, dead.task[i], false),
                         CW_DISPATCH_STALE);
    assert_int_equal(cw_dispatch_master_request(&p->m, k, dead.epoch, 5).count, 0);
}

static void serve_parked(struct play *p)
{
    uint32_t k;

    while ((k = cw_dispatch_master_parked(&p->m)) != CW_DISPATCH_NOBODY)
        request(p, k);
}

static void test_deaths(void **state)
{
    static struct play p;
    struct cw_error err = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        memset(&p, 0, sizeof p);
        p.random = seed;
        assert_int_equal(cw_dispatch_master_init(&p.m, TASKS, CHILDREN, 3, &err), CW_OK);
        for (uint32_t t = seed % 5; t < TASKS; t += 5) {
            cw_dispatch_master_restore(&p.m, t);
            p.taken[t] = 1;
        }
        assert_int_equal(cw_dispatch_master_begin(&p.m, &err), CW_OK);
        for (uint32_t steps = 0; p.m.left; steps++) {
            assert_true(steps < 100 * TASKS);
            uint32_t k = (uint32_t)cw_random_below(&p.random, CHILDREN);
            if (cw_random_below(&p.random, 20) == 0)
                death(&p, k);
            else if (p.child[k].n)
                report(&p, k);
            else
                request(&p, k);
            serve_parked(&p);
        }
        for (uint32_t t = 0; t < TASKS; t++)
            assert_int_equal(p.taken[t], 1);
        assert_int_equal(p.m.queue.used, 0);
        cw_dispatch_master_finish(&p.m);
    }
}

/* Tasks come in their order; those of the dead and those that failed from the tail; the third failure is the
 * last. */
static void test_order(void **state)
{
    struct cw_dispatch_master m;
    struct cw_error err = {0};
    struct cw_dispatch_range r;

    (void)state;
    assert_int_equal(cw_dispatch_master_init(&m, 6, 2, 3, &err), CW_OK);
    assert_int_equal(cw_dispatch_master_begin(&m, &err), CW_OK);
    r = cw_dispatch_master_request(&m, 0, 0, 2);
    assert_true(r.first == 0 && r.count == 2);
    assert_int_equal(cw_dispatch_master_death(&m, 0, 0), CW_DISPATCH_AGAIN);
    r = cw_dispatch_master_request(&m, 1, 0, 9);
    assert_true(r.first == 2 && r.count == 4);
    r = cw_dispatch_master_request(&m, 0, 1, 9);
    assert_true(r.first == 0 && r.count == 2);
    assert_int_equal(cw_dispatch_master_report(&m, 1, 0, 0, false), CW_DISPATCH_STALE); /* not its task */
    assert_int_equal(cw_dispatch_master_report(&m, 0, 1, 0, true), CW_DISPATCH_AGAIN);
    assert_int_equal(cw_dispatch_master_report(&m, 0, 1, 0, true), CW_DISPATCH_STALE); /* twice */
    r = cw_dispatch_master_request(&m, 0, 1, 9);
    assert_true(r.first == 0 && r.count == 1);
    assert_int_equal(cw_dispatch_master_report(&m, 0, 1, 0, true), CW_DISPATCH_TAKE);
    assert_int_equal(cw_dispatch_master_request(&m, 0, 1, 4).count, 0);
    assert_int_equal(m.child[0].owed, 4);
    assert_int_equal(m.left, 5);
    cw_dispatch_master_finish(&m);
}

/* ---- a tree of masters, with successors: the global master, regional masters, workers */

enum { REGIONS = 3, EACH = 3, FIRST_WORKER = 1 + REGIONS };

struct kid {
    uint32_t epoch;
    bool joined;
    struct child has;             /* a worker: its tasks */
    uint32_t passes, pass[TASKS]; /* a regional master: results that it has not passed on */
    bool failed[TASKS];
    struct cw_dispatch_master m;
};

struct tree {
    uint32_t holder[2][TASKS];
    struct cw_dispatch_master top;
    struct kid region[REGIONS], worker[REGIONS][EACH];
    uint8_t taken[TASKS]; /* the checkpoint */
    uint64_t random;
};

static uint32_t chance(struct tree *t, uint32_t n)
{
    return (uint32_t)cw_random_below(&t->random, n);
}

static void join_top(struct tree *t, uint32_t k)
{
    struct kid *r = &t->region[k];
    struct cw_dispatch_queue q = {0};

    assert_true(cw_dispatch_master_holdings(&r->m, &q));
    for (uint32_t i = 0; i < r->passes; i++)
        assert_true(cw_dispatch_queue_put_task(&q, r->pass[i]));
    assert_int_equal(q.head, 0);
    assert_true(cw_dispatch_master_join(&t->top, k, q.v, q.used));
    r->epoch = t->top.child[k].epoch;
    r->joined = true;
    cw_dispatch_queue_finish(&q);
}

static void join_region(struct tree *t, uint32_t k, uint32_t i)
{
    struct kid *w = &t->worker[k][i];
    struct cw_dispatch_range held[TASKS];

    for (uint32_t j = 0; j < w->has.n; j++)
        held[j] = (struct cw_dispatch_range){w->has.task[j], 1};
    assert_true(cw_dispatch_master_join(&t->region[k].m, i, held, w->has.n));
    w->epoch = t->region[k].m.child[i].epoch;
    w->joined = true;
}

/* A process of the master begins, the first one or a successor; its children have links to it when they
 * join. */
static void begin_top(struct tree *t)
{
    struct cw_error err = {0};

    cw_dispatch_master_finish(&t->top);
    assert_int_equal(cw_dispatch_master_init_on(&t->top, t->holder[0], 1, TASKS, REGIONS, 3, &err), CW_OK);
    for (uint32_t i = 0; i < TASKS; i++)
        if (t->taken[i])
            cw_dispatch_master_restore(&t->top, i);
    assert_int_equal(cw_dispatch_master_begin(&t->top, &err), CW_OK);
    for (uint32_t k = 0; k < REGIONS; k++)
        t->region[k].joined = false;
}

static void begin_region(struct tree *t, uint32_t k)
{
    struct kid *r = &t->region[k];
    struct cw_error err = {0};

    cw_dispatch_master_finish(&r->m);
    r->passes = 0;
    r->joined = false;
    assert_int_equal(
        cw_dispatch_master_init_on(&r->m, t->holder[1], FIRST_WORKER + k * EACH, TASKS, EACH, 0, &err),
        CW_OK);
    assert_int_equal(cw_dispatch_master_begin(&r->m, &err), CW_OK);
    for (uint32_t i = 0; i < EACH; i++)
        t->worker[k][i].joined = false;
}

static void act_region(struct tree *t, uint32_t k)
{
    struct kid *r = &t->region[k];

    if (!r->joined) {
        join_top(t, k);
    } else if (r->passes && chance(t, 2)) {
        uint32_t task = r->pass[--r->passes];

        switch (cw_dispatch_master_report(&t->top, k, r->epoch, task, r->failed[r->passes])) {
        case CW_DISPATCH_TAKE:
            assert_int_equal(t->taken[task]++, 0);
            break;
        case CW_DISPATCH_AGAIN:
            assert_true(r->failed[r->passes]);
            break;
        default:
            fail_msg("a regional master that has joined reports task %u in vain", task);
        }
    } else {
        struct cw_dispatch_range g = cw_dispatch_master_request(&t->top, k, r->epoch, 1 + chance(t, 30));

        assert_true(!g.count || cw_dispatch_master_add(&r->m, g));
    }
}

static void act_worker(struct tree *t, uint32_t k, uint32_t i)
{
    struct kid *w = &t->worker[k][i], *r = &t->region[k];

    if (!w->joined) {
        join_region(t, k, i);
    } else if (w->has.n) {
        uint32_t task = w->has.task[--w->has.n];
        bool failed = chance(t, 10) == 0;

        if (cw_dispatch_master_report(&r->m, i, w->epoch, task, failed) == CW_DISPATCH_TAKE) {
            r->pass[r->passes] = task;
            r->failed[r->passes++] = failed;
        } /* else the worker did not come in time: the task is another's */
    } else {
        struct cw_dispatch_range g = cw_dispatch_master_request(&r->m, i, w->epoch, 1 + chance(t, 5));

        for (uint32_t j = 0; j < g.count; j++)
            w->has.task[w->has.n++] = g.first + j;
    }
}

static void kill_worker(struct tree *t, uint32_t k, uint32_t i)
{
    struct kid *w = &t->worker[k][i];

    assert_int_not_equal(cw_dispatch_master_death(&t->region[k].m, i, CW_DISPATCH_NOBODY), CW_DISPATCH_NOMEM);
    w->has.n = 0;
    w->joined = false;
}

static void test_successors(void **state)
{
    static struct tree t;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        memset(&t, 0, sizeof t);
        memset(t.holder, 0xff, sizeof t.holder);
        t.random = seed;
        begin_top(&t);
        for (uint32_t k = 0; k < REGIONS; k++)
            begin_region(&t, k);
        for (uint32_t steps = 0; t.top.left; steps++) {
            uint32_t k = chance(&t, REGIONS), i = chance(&t, EACH), what = chance(&t, 100);

            assert_true(steps < 100 * TASKS);
            if (what == 0)
                begin_top(&t);
            else if (what < 3)
                begin_region(&t, k);
            else if (what < 6)
                kill_worker(&t, k, i);
            else if (what < 40)
                act_region(&t, k);
            else
                act_worker(&t, k, i);
        }
        for (uint32_t n = 0; n < TASKS; n++)
            assert_int_equal(t.taken[n], 1);
        cw_dispatch_master_finish(&t.top);
        for (uint32_t k = 0; k < REGIONS; k++)
            cw_dispatch_master_finish(&t.region[k].m);
    }
}

/* ---- checkpoints */

static char path[64];

static void make_plan(struct cw_farm_plan *p, const char *list)
{
    struct cw_error err = {0};

    *p = (struct cw_farm_plan){.argc = 2, .lists = 1, .tries = 3, .timeout_s = 1.5};
    p->argv = calloc(3, sizeof *p->argv);
    p->argv[0] = strdup("echo");
    p->argv[1] = strdup("{}");
    p->folder = strdup("/");
    p->out = strdup("-");
    p->list[0].name = strdup("list");
    p->list[0].text = strdup(list);
    p->list[0].bytes = strlen(list);
    assert_int_equal(cw_farm_plan_check(p, &err), CW_OK);
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

/* ---- words and messages */

static void check_command(const char *word, const char *list, uint32_t task, const char *wanted)
{
    struct cw_farm_plan p;
    char got[200] = "", **argv;
    int argc;

    make_plan(&p, list);
    free(p.argv[1]);
    p.argv[1] = strdup(word);
    argv = cw_farm_plan_command(&p, task, &argc);
    for (int a = 1; a < argc; a++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "<%s>", argv[a]);
    assert_string_equal(got, wanted);
    assert_null(argv[argc]);
    free(argv);
    cw_farm_plan_finish(&p);
}

static void test_words(void **state)
{
    (void)state;
    check_command("{}", "a b\n", 0, "<a><b>");
    check_command("{}", "a\nb \t 'c  d'\"e\" ''\r\n", 1, "<b><c  de><>");
    check_command("x{}y", "a b", 0, "<xa by>");
    check_command("{2}{1}{", "\n \n1 2\n", 0, "<21{>");
    check_command("{}{}", "a", 0, "<aa>");
    check_command("{0}{x}", "a", 0, "<{0}{x}>");
    check_command("plain", "a", 0, "<plain>");
}

static void test_wrong_lines(void **state)
{
    static const char *const lists[] = {"a b\n\"c\n", "a b\nc\n", "a b\n\na\n"};
    static const char *const messages[] = {"list:2: a quote is not closed",
                                           "list:2: the command has {2}, and the line 1 word",
                                           "list:3: the command has {2}, and the line 1 word"};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct cw_farm_plan p;
        struct cw_error err = {0};

        make_plan(&p, "");
        free(p.argv[1]);
        free(p.list[0].text);
        p.argv[1] = strdup("-{2}");
        p.list[0].text = strdup(lists[k]);
        p.list[0].bytes = strlen(lists[k]);
        assert_int_equal(cw_farm_plan_check(&p, &err), CW_ERR_FORMAT);
        assert_string_equal(err.text, messages[k]);
        cw_farm_plan_finish(&p);
    }
}

/* Messages in pieces of any size; bytes that are none. */
static void test_messages(void **state)
{
    struct cw_farm_inbox in = {0};
    struct cw_farm_frame f;
    const char *payload;
    int pair[2], found = 0;
    char bytes[200];
    ssize_t n;

    (void)state;
    assert_int_equal(pipe(pair), 0);
    assert_false(cw_farm_link_send(pair[1], CW_FARM_WORK, 7, "ab", 2, NULL, 0)); /* no socket */
    close(pair[0]);
    close(pair[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_true(cw_farm_link_send(pair[1], CW_FARM_WORK, 7, "ab", 2, "cde", 3));
    assert_true(cw_farm_link_send(pair[1], CW_FARM_NO_MORE, 8, NULL, 0, NULL, 0));
    n = read(pair[0], bytes, sizeof bytes);
    for (ssize_t k = 0; k < n; k++) {
        assert_int_equal(write(pair[1], bytes + k, 1), 1);
        assert_int_equal(cw_farm_link_read(pair[0], &in), CW_FARM_FULL);
        while (cw_farm_link_next(&in, &f, &payload) == CW_FARM_FULL) {
            assert_int_equal(f.epoch, 7 + found++);
            assert_true(f.bytes == 0 || (f.bytes == 5 && !memcmp(payload, "abcde", 5)));
        }
    }
    assert_int_equal(found, 2);
    assert_int_equal(write(pair[1], "nothing of the kind, but long enough", 36), 36);
    assert_int_equal(cw_farm_link_read(pair[0], &in), CW_FARM_FULL);
    assert_int_equal(cw_farm_link_next(&in, &f, &payload), CW_FARM_CLOSED);
    close(pair[1]);
    assert_int_equal(cw_farm_link_read(pair[0], &in), CW_FARM_CLOSED);
    close(pair[0]);
    free(in.bytes.v);
}

/* ---- addresses of masters */

/* Another user's process takes the name of `fd`, which is closed, by a socket of that type, and keeps it
 * until `end` is closed. */
static pid_t take_name(int fd, int type, bool listens, int *end)
{
    struct sockaddr_un a;
    socklen_t n = sizeof a;
    int ready[2], stay[2];
    pid_t pid;
    char byte;

    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    close(fd);
    assert_true(pipe(ready) == 0 && pipe(stay) == 0);
    pid = fork();
    if (pid == 0) {
        int taken = socket(AF_UNIX, type, 0);
        bool ok = setuid(65534) == 0 && bind(taken, (struct sockaddr *)&a, n) == 0 &&
                  (!listens || listen(taken, 10) == 0);
        close(stay[1]);
        _exit(!ok || write(ready[1], "", 1) != 1 || read(stay[0], &byte, 1) != 0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(stay[0]);
    *end = stay[1];
    return pid;
}

/* The master is dead; its successor has another address, at which its children find it. */
static void test_taken_address(void **state)
{
    static const struct {
        int type;
        bool listens;
    } taken[] = {{SOCK_STREAM, true}, {SOCK_STREAM, false}, {SOCK_DGRAM, false}};
    struct cw_error err;
    struct cw_farm_tree *t = cw_farm_tree_make(4, 2, 10, &err);

    (void)state;
    assert_non_null(t);
    for (size_t k = 0; geteuid() == 0 && k < sizeof taken / sizeof *taken; k++) {
        int master = cw_farm_tree_listen(t, 1), end, fd, status;
        pid_t pid, other = take_name(master, taken[k].type, taken[k].listens, &end);

        assert_int_equal(cw_farm_tree_connect(t, 1), -1);
        master = cw_farm_tree_listen(t, 1);
        assert_true(master >= 0);
        assert_true((fd = cw_farm_tree_connect(t, 1)) >= 0);
        close(fd);
        assert_true((fd = cw_farm_tree_accept(master, &pid)) >= 0 && pid == getpid());
        close(fd);
        assert_true(cw_farm_tree_listen(t, 1) == -1 && errno == EADDRINUSE); /* it lives */
        close(master);
        close(end);
        assert_true(waitpid(other, &status, 0) == other && status == 0);
    }
    cw_farm_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc),           cmocka_unit_test(test_deaths),
        cmocka_unit_test(test_order),         cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damaged),       cmocka_unit_test(test_owners),
        cmocka_unit_test(test_successors),    cmocka_unit_test(test_words),
        cmocka_unit_test(test_wrong_lines),   cmocka_unit_test(test_messages),
        cmocka_unit_test(test_taken_address),
    };
    int result;

    snprintf(path, sizeof path, "/tmp/clweave-farm.%d", (int)getpid());
    result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return result;
}
