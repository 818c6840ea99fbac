# Run mode under the address and undefined-behaviour sanitizers, leaks included: the programs of this folder, the samples,
# random programs.
sanitizer=address,undefined
. test/runmode/sanitizers.bash
build_shim
tell address leak undefined
# the C library keeps 32 bytes of a first thread that leaves before the others
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 every runmode/exits
# state jumps out of kernels, after which the sanitizer takes its own end of a thread for an overflow
every $(programs runmode | grep -vE '/(exits|state)$') $(programs apps)
seeds anything 11 12 13 14
seeds crowd 11 12
enough
done_
