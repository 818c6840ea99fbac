# make install: what it puts below DESTDIR works from there, without the build folder; make uninstall leaves nothing. Manual
# pages and completions have every command, option and variable, and the names of policies and platforms.
. "$(dirname "$0")/common.sh"
pocl=$(cat "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/pocl.icd" 2> /dev/null) || { echo "no OpenCL driver: package pocl-opencl-icd"; exit 77; }
case $B in *address* | *undefined* | *thread*) echo "sanitizer builds need their runtime loaded first"; exit 77 ;; esac

# one version in all places that name it
version=$(clweave version | cut -d' ' -f2)
grep -q "^clweave ($version) " debian/changelog && grep -q "^## $version" .github/CHANGELOG.md &&
    grep -q "^version: $version\$" .github/CITATION.cff || fail "version $version is not that of changelogs and CITATION.cff"
nm -D --defined-only "$B/libclweave.so" | awk '{print $3}' | grep -vE '^cl[A-Z]|^OPENCL_' && fail "libclweave.so exports more than OpenCL's functions and the layer's"
nm -D --defined-only "$B/libcwsched.so" | awk '{print " "$3"@Base"}' | sort > "$T/exported"
grep '^ cw_' debian/libclweave0.symbols | cut -d' ' -f1,2 | sort | diff - "$T/exported" ||
    fail "debian/libclweave0.symbols does not name the functions that libcwsched.so exports"

mkdir "$T/build" && cp -r "$B"/clweave* "$B"/libclweave.so "$B"/libcwsched.* "$T/build/" || fail "no build"
settings="B=$T/build PREFIX=/opt/cw DESTDIR=$T/root"
# the recipes as make would run them, on what is built already
recipe() { make -n $settings "$@" 2> "$T/err" | grep -v '^make' > "$T/recipe"; sh -e "$T/recipe" > "$T/out" 2>> "$T/err" || { cat "$T/out" "$T/err"; fail "$1 fails"; }; }
recipe install -o all
mkdir "$T/aside" && mv "$T/build" "$T/aside/"
root=$T/root/opt/cw
for f in bin/clweave lib/libclweave.so lib/libclweave.so.0 lib/libcwsched.so.0 share/doc/clweave/analyzer/FORMAT.md share/man/man1/clweave.1; do
    [ -s "$root/$f" ] || fail "$f is not installed"
done
for f in "$B"/clweave-*; do
    [ -x "$root/libexec/clweave/${f##*/}" ] || fail "libexec/clweave/${f##*/} is not installed"
done
[ "$(ls "$root/bin")" = clweave ] || fail "bin holds $(ls "$root/bin")"
for l in clweave cwsched; do
    readelf -d "$root/lib/lib$l.so" | grep -q "soname: \[lib$l.so.0\]" || fail "lib$l.so has no versioned soname"
done
OCL_ICD_VENDORS=$pocl "$root/bin/clweave" trace -o "$T/app.json" -- "$B/test/apps/reduction" > "$T/out" 2> "$T/err" && [ -s "$T/app.json" ] ||
    { cat "$T/out" "$T/err"; fail "the installed tool does not trace"; }
"$root/bin/clweave" doctor > "$T/out"
for f in "$B"/clweave-compile "$B"/clweave-footprint; do
    [ ! -e "$f" ] || grep -q "$root/lib/../libexec/clweave/${f##*/}" "$T/out" || fail "the installed tool does not find ${f##*/}: $(cat "$T/out")"
done
# the library where Debian has it, in a folder of the machine's
machine=$(cc -print-multiarch); : "${machine:=lib64}"
mkdir "$root/moved" && mv "$root"/lib/lib* "$root/moved" && mv "$root/moved" "$root/lib/$machine"
"$root/bin/clweave" doctor > "$T/out"
grep -q "$root/lib/$machine/libclweave.so.$version" "$T/out" && grep -q "libexec/clweave/clweave-compile" "$T/out" ||
    fail "lib/$machine is not found: $(cat "$T/out")"
mv "$root/lib/$machine"/lib* "$root/lib/"

# ---- manual pages: every command's page, every option and every variable of the table
manual=$root/share/man/man1
for c in $(clweave help --names); do
    for section in NAME SYNOPSIS OPTIONS "SEE ALSO"; do
        grep -q "^\.SH $section\$" "$manual/clweave-$c.1" || fail "clweave-$c(1) has no $section"
    done
    clweave "$c" --help | grep -oE '^  (   |-., )--[a-z-]+' | sed 's/.*--//; s/-/\\-/g' > "$T/options"
    while read -r o; do grep -qF -- "\\-\\-$o" "$manual/clweave-$c.1" || fail "clweave-$c(1) does not have --$o"; done < "$T/options"
done
for section in DESCRIPTION COMMANDS "EXIT STATUS" ENVIRONMENT FILES EXAMPLES "SEE ALSO"; do
    grep -q "^\.SH $section\$" "$manual/clweave.1" || fail "clweave(1) has no $section"
done
grep -rhoE 'getenv\("CLWEAVE_[A-Z_]+' shim analyzer | cut -d'"' -f2 | sort -u > "$T/variables"
sed -n 's/.*CW_OPTION([a-z_]*, [A-Z]*, .*"\([a-z-]*\)", "[^"]*", .*/CLWEAVE_\U\1/p' analyzer/settings/options.inc | tr - _ | sort -u >> "$T/variables"
[ "$(wc -l < "$T/variables")" -gt 20 ] || fail "no variables are found"
while read -r v; do grep -q "^\.B $v=" "$manual/clweave.1" || fail "clweave(1) does not have $v"; done < "$T/variables"
if command -v man > /dev/null; then
    for page in "$manual"/*; do [ -z "$(man --warnings -E UTF-8 -l "$page" 2>&1 > /dev/null)" ] || fail "man complains about $page"; done
fi

# ---- completions
completions=$root/share
policies=$(sed -n 's/^CW_POLICY(\(.*\))$/\1/p' sched/policy_list.inc | tr '_' '-')
bash_completes() { bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clweave; printf "%s " "${COMPREPLY[@]}"' "$completions/bash-completion/completions/clweave" "$@"; }
says() { # WORD TEXT WHERE
    case " $2 " in *" $1 "*) ;; *) fail "$3: '$1' is not in '$2'" ;; esac
}
bash -n "$completions/bash-completion/completions/clweave" || fail "the completion is no bash"
for p in $policies; do says "$p" "$(bash_completes clweave replay --policy "")" "bash, replay --policy"; done
says heft "$(bash_completes clweave run --policy = he)" "bash, run --policy=he"
says hxdsp "$(bash_completes clweave replay --platform hx)" "bash, replay --platform"
says gauss "$(bash_completes clweave generate g)" "bash, generate"
says report "$(bash_completes clweave help re)" "bash, help"
case " $(bash_completes clweave run --policy "") " in *" exact "*) fail "run --policy completes exact, which run refuses" ;; esac
if command -v zsh > /dev/null; then
    zsh_specs() { zsh -f -c '_arguments() { print -l -- "$@" }; _describe() { print -l -- $commands }; script=$1; shift; words=("$@"); CURRENT=$#; . $script' x "$completions/zsh/site-functions/_clweave" "$@"; }
    for p in $policies; do says "$p" "$(zsh_specs clweave replay "" | grep -- '--policy=' | sed 's/.*(\(.*\)).*/\1/')" "zsh, replay --policy"; done
    zsh_specs clweave replay "" | grep -q -- '--platform=.*compadd -- hxdsp .*_files' || fail "zsh, replay --platform"
    zsh_specs clweave "" | grep -q '^report:' || fail "zsh, commands"
fi
if command -v fish > /dev/null; then
    fish_completes() { HOME=$T fish --no-config -c '. $argv[1]; complete -C $argv[2]' "$completions/fish/vendor_completions.d/clweave.fish" "$1" | cut -f1 | tr '\n' ' '; }
    for p in $policies; do says "$p" "$(fish_completes "clweave replay --policy ")" "fish, replay --policy"; done
    says hxdsp "$(fish_completes "clweave replay --platform hx")" "fish, replay --platform"
    says --format "$(fish_completes "clweave graph --fo")" "fish, graph --fo"
    says report "$(fish_completes "clweave re")" "fish, commands"
fi

# ---- the scheduling library: a program of another project, with nothing but what pkg-config says
cat > "$T/user.c" <<'C'
#include <clweave/sched.h>
#include <stdio.h>

int main(void)
{
    struct cw_error err = {CW_OK, ""};
    struct cw_graph_builder *b = cw_graph_builder_create(2);
    struct cw_graph *graph;
    struct cw_platform *platform;
    struct cw_policy_config config;
    struct cw_schedule *schedule;
    double first[] = {3, 5}, second[] = {4, 2};
    struct cw_task_spec tasks[] = {{first, NULL, 0, false}, {second, NULL, 0, false}};
    struct cw_device_spec devices[] = {{"cpu"}, {"gpu"}};

    cw_graph_builder_add_task(b, &tasks[0], &err);
    cw_graph_builder_add_task(b, &tasks[1], &err);
    cw_graph_builder_add_edge(b, 0, 1, 7, &err);
    cw_graph_builder_finish(b, &graph, &err);
    cw_platform_create(devices, 2, NULL, 1, NULL, 0, &platform, &err);
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
used() { # compiler and its options: the program plans with the library
    "$@" -Wall -Wextra -Wno-missing-field-initializers -Werror -o "$T/user" || fail "the library cannot be used: $*"
    [ "$(LD_LIBRARY_PATH=$root/lib "$T/user")" = 7 ] || fail "$*: the library plans $(LD_LIBRARY_PATH=$root/lib "$T/user"), not 7"
}
used cc -std=c11 "$T/user.c" $flags
readelf -d "$T/user" | grep -q 'NEEDED.*libcwsched.so.0' || fail "the program does not need libcwsched.so.0"
used cc -std=c11 "$T/user.c" -I"$root/include" "$root/lib/libcwsched.a" -lm
! command -v g++ > /dev/null || used g++ -std=c++17 -x c++ "$T/user.c" -x none $flags

mv "$T/aside/build" "$T/"
recipe uninstall
left=$(cd "$T/root" && find . ! -type d)
[ -z "$left" ] || fail "make uninstall leaves $left"
finish
