# promises.sh in more random orders.
SEEDS=10
. test/runmode/promises.sh
