# tiles.sh with more programs and seeds.
NAMES="tiles edges pictures jacobi reduction blockmatmul mapreduce featurefusion chains8 onebuffer disjoint wrongflags threads events_ooo"
SEEDS=$(seq 20)
. test/runmode/tiles.sh
