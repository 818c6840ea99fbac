/* history_folder.h - what the tests of histories on disk share: a folder per test, saving and loading as
 * processes do. Include it in one file of a test program. */
#ifndef CW_TEST_HISTORY_FOLDER_H
#define CW_TEST_HISTORY_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "history_keys.h"
#include "../../analyzer/history/history_store.h"
#include "../../analyzer/io/folders.h"

static char folder[200], path[220];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-history.XXXXXX", cw_temporary_folder());
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/history.db", folder);
    return 0;
}

static int drop_folder(void **state)
{
    char command[240];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static struct cw_history *with_samples(uint64_t kernel, uint64_t shapes, double ns)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");

    for (uint64_t k = 0; k < shapes; k++)
        cw_history_add(h, K(kernel), k, cpu, 100 + (double)k, ns);
    return h;
}

/* Saves and destroys. */
static enum cw_status save(struct cw_history *h, struct cw_error *err)
{
    enum cw_status status = cw_history_save(h, path, err);

    cw_history_destroy(h);
    return status;
}

static void saved(uint64_t kernel, uint64_t shapes, double ns)
{
    struct cw_error err = {0};

    if (save(with_samples(kernel, shapes, ns), &err) != CW_OK)
        fail_msg("%s", err.text);
}

/* What a new process would read. */
static struct cw_history *loaded(void)
{
    struct cw_history *h = cw_history_create();
    struct cw_error err = {0};

    if (cw_history_load(h, path, &err) != CW_OK)
        fail_msg("%s", err.text);
    return h;
}

static struct cw_history_estimate predict(struct cw_history *h, uint64_t kernel, uint64_t shape)
{
    uint32_t cpu = cw_history_device(h, "cpu");
    struct cw_history_estimate e;

    cw_history_predict(h, K(kernel), shape, 0, &cpu, NULL, 1, &e);
    return e;
}

#define EACH(f) cmocka_unit_test_setup_teardown(f, make_folder, drop_folder)

#endif
