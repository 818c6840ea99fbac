# samples.sh in more random orders.
ORDERS=100
. test/execute/samples.sh
