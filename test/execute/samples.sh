# Some samples, captured, run again in trace order and in 10 random orders (all samples, 100 orders: samples.slow.sh).
. test/execute/common.sh
for sample in blockmatmul mapreduce userevents_maps events_ooo; do
    capture $sample "$B/test/apps/$sample"
    equal $sample 10
done
wrong blockmatmul
wrong mapreduce
