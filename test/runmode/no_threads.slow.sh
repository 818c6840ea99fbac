# no_threads.sh with more numbers of threads.
FEW="1 2 3 4 5 6"
. test/runmode/no_threads.sh
