# footprints.sh in more random orders.
SEEDS="1 2 3 4 5 6"
. test/runmode/footprints.sh
