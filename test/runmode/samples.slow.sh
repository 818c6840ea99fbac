# samples.sh with every sample in more random orders.
ALL=1 SEEDS=2
. test/runmode/samples.sh
