# `clweave run` where it can keep nothing, start nothing, or is not alone: HOME is read-only or not there, the helper tools are
# missing, no process may be started, 20 processes begin at once with nothing kept. The program prints and ends as it does bare;
# clweave says one line at most, and nothing hangs.
# SECONDS: 10
. test/runmode/common.sh
chains=$B/test/apps/chains8
printf '#!/bin/sh\n"%s"\nexit $(($? + 3))\n' "$chains" > "$T/program"; chmod +x "$T/program" # a status of its own
"$chains" > /dev/null || { echo "no device"; exit 77; } # PoCL keeps the kernels' code
unset XDG_CACHE_HOME

# expects COMMAND... : keeps what it prints and how it ends as what meets() compares with
expects() { timeout 240 "$@" > "$T/bare" 2> "$T/bare.err"; expected=$?; }

# same WHAT STATUS OUTPUT STDERR : a managed run ended like the bare one, and at most one line of stderr is clweave's
same() {
    local lines=$(diff "$T/bare.err" "$4" | grep -c '^[<>]')
    [ "$2" = "$expected" ] || fail "$1: status $2 instead of $expected: $(tail -n 2 "$4")"
    cmp -s "$T/bare" "$3" || fail "$1: other output: $(diff "$T/bare" "$3" | head -n 3)"
    [ "$lines" -le 1 ] || fail "$1: $lines lines of stderr differ: $(diff "$T/bare.err" "$4" | head -n 5)"
    diff "$T/bare.err" "$4" | sed -n 's/^> //p' >> "$T/said"
    compared=$((compared + 1))
}

# meets WHAT COMMAND... : by default, and where helpers begin and are compiled for at once
meets() {
    local what=$1 learn; shift
    for learn in auto all all; do
        CLWEAVE_LEARN=$learn timeout 240 "$@" > "$T/run" 2> "$T/run.err"
        same "$what, --learn $learn" $? "$T/run" "$T/run.err"
    done
}
run() { meets "$1" "${@:2}" "$B/clweave" run -- "$T/program"; }
expects "$T/program"

mkdir "$T/home"
# root may write into any folder: one on a file system that is read-only, or one that takes no files at all
in_read_only() { unshare -m sh -c 'mount -t tmpfs -o ro none "$1" && shift && exec "$@"' - "$T/home" "$@"; }
in_read_only true 2> "$T/no" && run "read-only HOME" unshare -m sh -c 'mount -t tmpfs -o ro none "$1" && shift && exec "$@"' - "$T/home" env HOME="$T/home"
chmod 500 "$T/home"
run "HOME without permission" env HOME="$T/home"
run "HOME that takes no files" env HOME=/proc
run "HOME that is not there" env HOME="$T/none"
run "no HOME" env -u HOME

# the library alone
export HOME=$T/kept; mkdir -m 700 "$HOME"
mkdir "$T/alone"; cp "$B/libclweave.so" "$T/alone"
for analysis in "$T/none" ''; do
    meets "no helper tools" env ${analysis:+CLWEAVE_FOOTPRINT="$analysis"} LD_PRELOAD="$T/alone/libclweave.so" CLWEAVE_TOOL=1 CLWEAVE_MODE=run "$T/program"
done

# no process may be started, neither for compilations nor by the program
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -o "$T/forbid" test/shim/forbid.c || exit 1
expects "$T/forbid" "$chains"
if [ $expected = 0 ]; then
    rm -rf "$HOME"; mkdir -m 700 "$HOME"
    meets "no processes" env LD_PRELOAD="$shim" CLWEAVE_TOOL=1 CLWEAVE_MODE=run "$T/forbid" "$chains"
fi

# all begin with nothing kept
expects "$T/program"
for learn in auto all; do
    rm -rf "$HOME"; mkdir -m 700 "$HOME"
    declare -A process=()
    for i in $(seq 20); do
        CLWEAVE_LEARN=$learn timeout 240 "$B/clweave" run -- "$T/program" > "$T/run$i" 2> "$T/run$i.err" &
        process[$i]=$!
    done
    for i in $(seq 20); do
        wait ${process[$i]}
        same "process $i of 20, --learn $learn" $? "$T/run$i" "$T/run$i.err"
    done
done
sort "$T/said" | uniq -c # what clweave said, and how often
done_
