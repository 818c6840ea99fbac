# PoCL's cache lies on a disk that has just room for what the program itself has compiled: LLVM ends a process that cannot write, so
# nothing is compiled for helpers there.
. test/runmode/common.sh
unshare -m true 2> "$T/no" || { echo "no file system can be mounted here"; exit 77; }
program=$B/test/apps/chains8
mkdir "$T/disk"
# on_disk SIZE COMMAND ...: HOME is an empty file system of so many KiB
on_disk() { unshare -m bash -c 'mount -t tmpfs -o size="$2k" none "$1" || exit 77; HOME=$1 timeout 240 "${@:3}"' - "$T/disk" "$@"; }
unset POCL_CACHE_DIR XDG_CACHE_HOME
on_disk 65536 "$program" > "$T/bare" || { echo "no file system can be mounted here"; exit 77; }
size=640 # PoCL 3.1 needs some 1200
until on_disk $size "$program" > /dev/null 2>&1 && on_disk $size "$program" > /dev/null 2>&1; do
    size=$((size + 128))
    [ $size -lt 16384 ] || { echo "the bare program needs more than $size KiB"; exit 1; }
done
size=$((size + 64))
for how in CLWEAVE_POLICY=heft "CLWEAVE_POLICY=chaos CLWEAVE_SEED=1" "CLWEAVE_POLICY=chaos CLWEAVE_SEED=2 CLWEAVE_MANAGE_ALL=1" CLWEAVE_DEVICES=sub:2 \
    CLWEAVE_MANAGE_ALL=1 CLWEAVE_LEARN=all CLWEAVE_DSP=2; do
    on_disk $size env LD_PRELOAD="$shim" CLWEAVE_MODE=run $how "$program" > "$T/run" 2> "$T/err" || fail "$how: exit status $?: $(cat "$T/err")"
    compared=$((compared + 1))
    cmp -s "$T/bare" "$T/run" || fail "$how: $(cat "$T/run") instead of $(cat "$T/bare")"
done
echo "with $size KiB"
done_
