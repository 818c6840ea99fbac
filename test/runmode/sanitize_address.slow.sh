# Run mode under the address and undefined-behaviour sanitizers, leaks included: the programs of this folder, the samples,
# random programs.
sanitizer=address,undefined
. test/runmode/sanitizers.bash
build_shim
tell address leak undefined
every $(programs runmode) $(programs apps)
seeds anything 11 12 13 14
seeds crowd 11 12
enough
done_
