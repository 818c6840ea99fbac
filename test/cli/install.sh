# make install: what it puts below DESTDIR works from there, without the build folder.
. "$(dirname "$0")/common.sh"
pocl=$(cat /etc/OpenCL/vendors/pocl.icd 2> /dev/null) || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac
mkdir "$T/build" && cp -r "$B"/clweave* "$B"/libclweave.so "$B"/libcwsched.a "$T/build/" || fail "no build"
# the recipes as make would run them, on what is built already
make -n B="$T/build" PREFIX=/opt/cw DESTDIR="$T/root" install -o all 2> "$T/err" | grep -v '^make' > "$T/recipe"
sh -e "$T/recipe" > "$T/out" 2>> "$T/err" || { cat "$T/out" "$T/err"; fail "the installation fails"; }
rm -r "$T/build"
root=$T/root/opt/cw
for f in bin/clweave lib/libclweave.so share/doc/clweave/FORMAT.md share/man/man1/clweave.1; do
    [ -s "$root/$f" ] || fail "$f is not installed"
done
for f in "$B"/clweave*; do
    [ -x "$root/bin/${f##*/}" ] || fail "bin/${f##*/} is not installed"
done
bash -n "$root/share/bash-completion/completions/clweave" || fail "the completion is no bash"
OCL_ICD_VENDORS=$pocl "$root/bin/clweave" trace -o "$T/app.json" -- "$B/test/apps/reduction" > "$T/out" 2> "$T/err" && [ -s "$T/app.json" ] ||
    { cat "$T/out" "$T/err"; fail "the installed tool does not trace"; }

# the scheduling library: a program of somebody else's, with nothing but what pkg-config says
cat > "$T/user.c" <<'C'
#include <clweave/sched.h>
#include <stdio.h>

int main(void)
{
    struct cw_error err = {0};
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    struct cw_graph *graph;
    struct cw_platform *platform;
    struct cw_policy_config config;
    struct cw_schedule *schedule;

    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = (double[]){3, 5}}, &err);
    cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = (double[]){4, 2}}, &err);
    cw_graph_builder_add_edge(b, 0, 1, 7, &err);
    cw_graph_builder_finish(b, &graph, &err);
    cw_platform_create((struct cw_device_spec[]){{.class_name = "cpu"}, {.class_name = "gpu"}}, 2, NULL, 1, NULL, 0, &platform, &err);
    cw_policy_parse(&config, "weave", &err);
    if (cw_policy_run(&config, graph, platform, &schedule, &err) != CW_OK)
        return puts(err.text), 1;
    printf("%g\n", cw_schedule_makespan(schedule));
    cw_schedule_destroy(schedule);
    cw_graph_destroy(graph);
    cw_platform_destroy(platform);
    return 0;
}
C
flags=$(PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config --define-variable=prefix="$root" --cflags --libs clweave-sched 2> "$T/err") ||
    { command -v pkg-config > /dev/null && { cat "$T/err"; fail "pkg-config does not know the library"; }
      flags="-I$root/include -L$root/lib -lcwsched -lm"; }
cc -std=c11 -Wall -Wextra -Werror -o "$T/user" "$T/user.c" $flags || fail "the library cannot be used"
[ "$("$T/user")" = 7 ] || fail "the library plans $("$T/user"), not 7"
finish
