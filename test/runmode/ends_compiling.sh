# Programs that end while run mode has something compiled for them: the compiler's own end must not meet it.
. test/runmode/common.sh
as() { printf '#!/bin/sh\nexec "%s" %s\n' "$B/test/runmode/ends_compiling" "$1" > "$T/$1"; chmod +x "$T/$1"; }
as moments
as long
if bare "$T/moments"; then
    for devices in ${DEVICES:-cpu,basic:2}; do
        in_run "$T/moments" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=$devices
    done
fi
export POCL_DEVICES=basic
if bare "$T/long"; then
    in_run "$T/long" CLWEAVE_MANAGE_ALL=1
    managed 4
fi
done_
