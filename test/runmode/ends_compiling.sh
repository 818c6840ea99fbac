# Programs that end while run mode has something compiled for them: the compiler's own end must not meet it. What they print bare
# is known; ALL=1 has it from them, on more DEVICES.
# SLOW: ALL=1 DEVICES="none cpu,basic:2 cpu,sub:2 cpu,basic:1,sub:2"
# CACHE: empty
# SECONDS: 25
. test/runmode/common.sh
moments=some
[ -z "${ALL:-}" ] || moments=moments
as() { printf '#!/bin/sh\nexec "%s" %s\n' "$B/test/runmode/ends_compiling" "$1" > "$T/$1"; chmod +x "$T/$1"; }
prints() { [ -z "${ALL:-}" ] || { bare "$T/$1"; return; }; printf '%s\n' "${@:2}" > "$T/bare"; : > "$T/bare.err"; }
as $moments
as long
if prints $moments 'the first thread leaves: exit status 4' 'in a callback: exit status 5'; then
    for devices in ${DEVICES:-cpu,basic:2}; do
        in_run "$T/$moments" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=$devices
    done
fi
export POCL_DEVICES=basic
if prints long 'unfinished: exit status 6'; then
    in_run "$T/long" CLWEAVE_MANAGE_ALL=1
    managed 4
fi
unset POCL_DEVICES
[ -z "${ALL:-}" ] || { bare "$T/moments" && in_run "$T/moments"; }
done_
