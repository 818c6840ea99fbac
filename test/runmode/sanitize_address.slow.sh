# Run mode under the address and undefined-behaviour sanitizers, leaks included: the programs of this folder, the samples,
# random programs.
# SLICES=6
sanitizer=address,undefined
. test/runmode/sanitizers.bash
build_shim
tell address leak undefined
every $(programs runmode | grep -v '/exits$') $(programs apps) $(programs apps/stencil)
for kind in box star; do as $kind apps/stencil/flat $kind; every "$T/$kind"; done # by rows
as cube apps/stencil/solid cube; every "$T/cube"
# the C library keeps 32 bytes of a first thread that leaves before the others, and then nobody can look up whose they are
as exits-but runmode/exits but "the first thread leaves"
as exits-only runmode/exits only "the first thread leaves"
every "$T/exits-but"
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 every "$T/exits-only"
as ends_compiling runmode/ends_compiling moments
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 every "$T/ends_compiling" # the first thread leaves there, too
seeds anything 11 12 13 14
seeds pixels 11 12
seeds crowd 11 12
enough
done_
