# A filter like ffmpeg's nlmeans_opencl with other GPUs (--devices gpu --learn all): launches on images, which are native, and between them
# one that counts in one word for all and changes columns in place. Merging the word does not bring a tile's columns together: no launch
# is cut, as each tile would be refused where it is to run.
# SECONDS: 20
# COMPILER: shared
. test/runmode/common.sh
export OPENCL_LAYERS=$(realpath "$B")/test/libgpucl.so GPUCL_ALONE=1 POCL_DEVICES="pthread pthread"

printf '#!/bin/sh\nexec "%s"/test/runmode/shifts 4 512 96\n' "$(realpath "$B")" > "$T/program"
chmod +x "$T/program"
# the first run may be over before the models of its kernels are there
bare "$T/program" && for turn in 1 2 3 4 5 6; do
    in_run "$T/program" CLWEAVE_DEVICES=gpu CLWEAVE_LEARN=all
    [ "$(count cut)" = 0 ] || fail "columns were cut: $(cat "$T/summary")"
    grep -q '^run: whole: .*tiles would write between' "$T/summary" && break
done
grep -q '^run: whole: .*tiles would write between' "$T/summary" || fail "no launch was thought about: $(cat "$T/summary")"
done_
