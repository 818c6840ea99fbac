# Run mode under the thread sanitizer: the programs of this folder, the samples, random programs.
# SLICES=6
sanitizer=thread
. test/runmode/sanitizers.bash
build_shim
tell thread
# a child that ends by _exit leaves its threads unjoined
as ends_compiling runmode/ends_compiling moments
TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0 every runmode/exits "$T/ends_compiling"
# the sanitizer's own thread wakes now and then, which is what idle and wakes look for; it holds signals back until a call
# that it knows, of which our waits are none
# here compilers have no table of descriptors of their own (builds/isolated_compiler.c): this program closes all, so none must be at work
CLWEAVE_LEARN=off every runmode/closes
every $(programs runmode | grep -vE '/(closes|exits|interrupted|idle|wakes)$') $(programs apps)
seeds anything 11 12 13 14
seeds pixels 11 12
seeds crowd 11 12 13 14
enough
done_
