/* Records of programs as tools see them: written by run mode, read again as plain fields; damaged ones, and
 * other files of the store, are passed over; one program is forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/history/run_records.h"
#include "../../analyzer/history/history_runs.h"
#include "../../analyzer/io/folders.h"

#define MS 1e6

static char above[200], folder[220];

static int make_folder(void **state)
{
    (void)state;
    snprintf(above, sizeof above, "%s/clweave-records.XXXXXX", cw_temporary_folder());
    if (!mkdtemp(above))
        return -1;
    snprintf(folder, sizeof folder, "%s/programs", above);
    return mkdir(folder, 0700);
}

static int drop_folder(void **state)
{
    struct cw_file_store store;

    (void)state;
    cw_file_store_init(&store, folder);
    cw_file_store_visit_size(&store, true);
    return rmdir(folder) || rmdir(above);
}

/* As shim/run/tuning/activation.c makes it. */
static struct cw_identity identity(const char *program, uint64_t size)
{
    struct cw_identity id;

    cw_identity_begin(&id, CW_HISTORY_RUNS_KIND);
    cw_identity_number(&id, sizeof(struct cw_runs_entry));
    cw_identity_number(&id, 2);
    cw_identity_text(&id, program);
    cw_identity_number(&id, size);
    cw_identity_number(&id, 1);
    cw_identity_number(&id, 2);
    cw_identity_text(&id, "strict");
    cw_identity_text(&id, "off");
    cw_identity_text(&id, "on");
    cw_identity_text(&id, "");
    cw_identity_text(&id, "on");
    return id;
}

static void add(struct cw_runs *r, const char *text, size_t bytes, bool at_once, double work_ns)
{
    cw_history_runs_add(r, cw_history_runs_number(r, text, bytes),
                        &(struct cw_runs_run){
                            .at_once = at_once, .work_ns = work_ns, .cost_ns = 2 * MS, .lived_ns = work_ns});
}

static void write_record(struct cw_runs *r, const char *program, uint64_t size)
{
    struct cw_identity id = identity(program, size);
    struct cw_file_store store;

    cw_file_store_init(&store, folder);
    cw_history_runs_write(r, &store, &id);
    cw_identity_finish(&id);
    cw_history_runs_finish(r);
}

static struct {
    unsigned records, gains, watching, bytes, other;
    double bare_ns, run_ns, lived_ns;
    uint64_t runs, ago;
} seen;

static void look(const struct cw_run_record *r, void *context)
{
    assert_ptr_equal(context, &seen);
    seen.records++;
    seen.other += strcmp(r->program, "app") != 0;
    assert_string_equal(r->settings, "footprints=off groups=on");
    if (strcmp(r->program, "app") != 0)
        return;
    seen.bytes += (unsigned)r->arguments_bytes;
    if (r->state == CW_RUN_GAINS) {
        assert_memory_equal(r->arguments, "./app\0one", sizeof "./app\0one");
        seen.gains++;
        seen.bare_ns = r->bare_ns;
        seen.run_ns = r->run_ns;
        seen.ago = r->ago;
    } else if (r->state == CW_RUN_WATCHING) {
        assert_memory_equal(r->arguments, "./app\0another", sizeof "./app\0another");
        seen.watching++;
    }
    seen.runs = r->runs;
    seen.lived_ns = r->lived_ns;
}

static void look_at_all(void)
{
    memset(&seen, 0, sizeof seen);
    cw_run_records_each(folder, look, &seen);
}

static void reads_what_run_mode_writes(void **state)
{
    static const char one[] = "./app\0one", another[] = "./app\0another";
    struct cw_runs r = {0}, s = {0};

    (void)state;
    for (int i = 0; i < 2; i++)
        add(&r, one, sizeof one, false, 500 * MS);
    for (int i = 0; i < CW_RUNS_TRIALS; i++)
        add(&r, one, sizeof one, true, 100 * MS);
    add(&r, another, sizeof another, false, 500 * MS);
    write_record(&r, "app", 1);
    add(&s, "x", 2, false, 5 * MS);
    write_record(&s, "x", 1);
    look_at_all();
    assert_int_equal(seen.records, 3);
    assert_int_equal(seen.other, 1);
    assert_int_equal(seen.gains, 1);
    assert_int_equal(seen.watching, 1);
    assert_int_equal(seen.bytes, sizeof one + sizeof another);
    assert_int_equal(seen.runs, 6);
    assert_int_equal(seen.ago, 1);
    assert_true(seen.bare_ns == 500 * MS && seen.run_ns == 100 * MS && seen.lived_ns == 1800 * MS);
}

/* Under a good checksum: other contents, and the right identity with too few bytes. */
static void passes_over_other_files(void **state)
{
    struct cw_identity id = identity("app", 2), other;
    struct cw_file_store store;
    static const char none[100] = {1, [24] = 77};

    (void)state;
    cw_file_store_init(&store, folder);
    cw_file_store_write(&store, &id, none, sizeof none);
    cw_identity_begin(&other, "something else");
    cw_file_store_write(&store, &other, none, sizeof none);
    look_at_all();
    assert_int_equal(seen.records, 3);
    for (size_t n = 1; n < sizeof none; n++) {
        cw_file_store_write(&store, &id, none, n);
        look_at_all();
        assert_in_range(seen.records, 3, 4); /* no entries at all make no record */
    }
    cw_identity_finish(&id);
    cw_identity_finish(&other);
}

static void forgets_one_program(void **state)
{
    struct cw_file_store_size gone = cw_run_records_forget(folder, "app");

    (void)state;
    assert_int_equal(gone.files, 2); /* the damaged one, too */
    assert_true(gone.bytes > 0);
    look_at_all();
    assert_int_equal(seen.records, 1);
    assert_int_equal(seen.other, 1);
    assert_int_equal(cw_run_records_forget(folder, "app").files, 0);
    assert_int_equal(cw_run_records_forget("/nowhere/at/all", "app").files, 0);
}

static void finds_fields(void **state)
{
    struct cw_identity id;
    size_t n = 99;

    (void)state;
    cw_identity_begin(&id, "kind");
    cw_identity_text(&id, NULL);
    cw_identity_text(&id, "");
    assert_string_equal(cw_identity_field(&id, 0, &n), "kind");
    assert_int_equal(n, sizeof "kind");
    assert_non_null(cw_identity_field(&id, 1, &n));
    assert_int_equal(n, 0);
    assert_string_equal(cw_identity_field(&id, 2, &n), "");
    assert_null(cw_identity_field(&id, 3, &n));
    for (struct cw_identity part = id; part.length > 0;) {
        part.length--;
        assert_null(cw_identity_field(&part, 2, &n));
    }
    cw_identity_finish(&id);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(reads_what_run_mode_writes),
        cmocka_unit_test(passes_over_other_files),
        cmocka_unit_test(forgets_one_program),
        cmocka_unit_test(finds_fields),
    };

    return cmocka_run_group_tests(all, make_folder, drop_folder);
}
