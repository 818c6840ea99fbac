# promises.sh with every program, in one more way and in more random orders.
ALL=1 SEEDS=10
. test/runmode/promises.sh
