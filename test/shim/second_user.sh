#!/bin/bash
# second_user.sh - a set-uid program is left alone, whatever its caller's environment asks for; and what another user has put in
# the way of logs and caches is neither followed, waited for, used nor touched.
. test/shim/common.sh
[ "$(id -u)" = 0 ] || { echo "needs root, to be two users"; exit 77; }
shared=$(mktemp -d /tmp/clweave-users.XXXXXX)
trap 'rm -rf "$shared"' EXIT
chmod 755 "$shared"
mkdir "$shared/bin" "$shared/own"
program harmed -DCL_TARGET_OPENCL_VERSION=300 -lOpenCL
$CC $flags -o "$shared/bin/secure" -x c - <<< '#include <sys/auxv.h>
int main(void) { return getauxval(AT_SECURE) ? 0 : 77; }'
cp "$T/harmed" "$shim" "$driver" "$shared/bin/"
chmod 755 "$shared"/bin/*
chown nobody "$shared/own"
clweave=$shared/bin/libclweave.so
export OCL_ICD_VENDORS=$shared/bin/${driver##*/} HOME=/nonexistent XDG_CACHE_HOME=$shared/own
unset NULLCL
status=0
# as VARIABLE=VALUE... COMMAND: as the second user
as() { setpriv --reuid=nobody --regid=nogroup --clear-groups env "$@"; }

# a set-uid program, by the loader's door: LD_PRELOAD is the dynamic linker's to ignore
chmod u+s "$shared/bin/harmed" "$shared/bin/secure"
if as "$shared/bin/secure"; then
    for mode in trace run; do
        mkdir -m 777 "$shared/out"
        as "$shared/bin/harmed" plain true return 10 > "$T/bare"
        as OPENCL_LAYERS="$clweave" CLWEAVE_MODE=$mode CLWEAVE_OUT="$shared/out/trace.json" CLWEAVE_LOG="debug:$shared/out/log" \
            CLWEAVE_HISTORY="$shared/out/history.db" "$shared/bin/harmed" plain true return 10 > "$T/out" 2> "$T/err"
        cmp "$T/bare" "$T/out" && [ ! -s "$T/err" ] || fail "set-uid, $mode: $(cat "$T/out" "$T/err")"
        [ -z "$(ls -A "$shared/out")" ] || fail "set-uid, $mode: files as root: $(ls "$shared/out")"
        rm -r "$shared/out"
    done
else
    echo "set-uid programs not tried: $shared does not allow them"
fi
chmod u-s "$shared/bin/harmed"

# a folder of all, where the first user was before: the log gets another name
plant() {
    rm -rf "$shared/all"; mkdir -m 1777 "$shared/all"
    case $1 in
    file) echo precious > "$shared/all/trace.json.log" ;;
    closed) (umask 077; echo precious > "$shared/all/trace.json.log") ;;
    link) echo precious > "$shared/all/target"; ln -s target "$shared/all/trace.json.log" ;;
    pipe) mkfifo "$shared/all/trace.json.log" ;;
    esac
    find "$shared/all" -user root -printf '%p %y %s %m\n' | sort > "$T/before"
}
for what in file closed link pipe; do
    plant $what
    as LD_PRELOAD="$clweave" CLWEAVE_MODE=trace CLWEAVE_OUT="$shared/all/trace.json" \
        timeout 240 "$shared/bin/harmed" plain true return 10 > /dev/null 2> "$T/err" || fail "$what: exit status $?: $(cat "$T/err")"
    [ ! -s "$T/err" ] || fail "$what: $(cat "$T/err")"
    find "$shared/all" -user root -printf '%p %y %s %m\n' | sort | cmp - "$T/before" || fail "$what: touched"
    ls "$shared"/all/trace-*.json > /dev/null || fail "$what: no trace: $(ls "$shared/all")"
done

# a cache that another user has made, or a link that leads to one's own files
for what in folder link; do
    rm -rf "$shared/all"; mkdir -m 1777 "$shared/all"
    if [ $what = folder ]; then mkdir -m 777 "$shared/all/clweave"; else ln -s "$shared/own" "$shared/all/clweave"; fi
    as LD_PRELOAD="$clweave" CLWEAVE_MODE=run XDG_CACHE_HOME="$shared/all" \
        timeout 240 "$shared/bin/harmed" plain true return 10 > /dev/null 2> "$T/err" || fail "cache, $what: exit status $?: $(cat "$T/err")"
    grep -q 'not a link' "$T/err" && [ "$(wc -l < "$T/err")" = 1 ] || fail "cache, $what: $(cat "$T/err")"
    [ -z "$(ls -A "$shared/own" "$shared/all/clweave/" | grep -v :)" ] || fail "cache, $what: used: $(ls -A "$shared/own" "$shared/all/clweave/")"
done
echo ok
