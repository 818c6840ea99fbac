#!/bin/bash
# StarPU 1.3.10 (Debian 12): the graph of starpu_bound_print_dot() lacks dependences and tasks.
#
# Guess: the graph that StarPU records for its bound has all tasks and their dependences: a writer behind two readers waits for both.
# Seen: where several tasks read what one task writes then, StarPU puts an empty task of its own between them; the recorder does not know it
# ("dependency 5 not found !" on stderr, exit status 0), so the writer has no predecessor in the graph. A task whose codelet has no
# performance model is left out. Bounds and plans of that graph are too short.
# In the product: FORMAT.md's DOT reads such a file as it is, and asks for the times, which it does not have.
# Exit 0: as described; 1: it has changed; 77: not Debian 12, or no package can be installed.
set -eu
version=1.3.10+dfsg-2
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || { echo "not Debian 12"; exit 77; }
apt-get -qq install -y --no-install-recommends gcc libc6-dev pkg-config "libstarpu-dev=$version" > /dev/null 2>&1 ||
    { echo "no package libstarpu-dev=$version"; exit 77; }
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cat > "$T/bound.c" << 'C'
#include <starpu.h>
#include <stdio.h>
#include <unistd.h>

static void work(void *buffers[], void *unused)
{
    (void)buffers, (void)unused;
    usleep(20000); /* the tasks behind it are there before it ends */
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "work"};
static struct starpu_codelet writer = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &model};
static struct starpu_codelet reader = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_R}, .model = &model};
static struct starpu_codelet unknown = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}};

int main(void)
{
    int x = 0;
    starpu_data_handle_t h;

    if (starpu_init(NULL))
        return 77;
    starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
    starpu_bound_start(1, 0);
    starpu_task_insert(&writer, STARPU_RW, h, 0); /* 1 */
    starpu_task_insert(&reader, STARPU_R, h, 0);  /* 2 and 3 wait for 1 */
    starpu_task_insert(&reader, STARPU_R, h, 0);
    starpu_task_insert(&writer, STARPU_RW, h, 0);  /* waits for 2 and 3 */
    starpu_task_insert(&unknown, STARPU_RW, h, 0); /* waits for it */
    starpu_task_wait_for_all();
    starpu_bound_stop();
    starpu_bound_print_dot(stdout);
    starpu_data_unregister(h);
    starpu_shutdown();
    return 0;
}
C
gcc -w "$T/bound.c" -o "$T/bound" $(pkg-config --cflags --libs starpu-1.3)
STARPU_HOME=$T STARPU_SILENT=1 STARPU_NCPU=2 STARPU_NCUDA=0 STARPU_NOPENCL=0 "$T/bound" > "$T/dot" 2> "$T/err" || exit $?
tasks=$(grep -c label "$T/dot") edges=$(grep -c -e '->' "$T/dot" || true)
echo "StarPU $version: $tasks of 5 tasks, $edges of 5 dependences; $(grep -o 'dependency .*' "$T/err" | head -1)"
[ "$tasks" = 4 ] && [ "$edges" = 2 ] && grep -q 'dependency [0-9]* not found' "$T/err"
