# A program that exits while helpers' programs are built: the code generator's own exit handlers must not run first.
# Cold caches, so that there is something to build.
. test/runmode/common.sh
program=$B/test/runmode/ends_building
bare "$program" || { done_; exit; }
for run in 1 2 3 4 5 6; do
    mkdir -p "$T/home$run" "$T/cache$run"
    in_run "$program" HOME="$T/home$run" POCL_CACHE_DIR="$T/cache$run"
done
done_
