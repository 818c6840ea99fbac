# start.sh, and programs that gain from helpers: begun later, then at once.
START_GAINS=1
. test/runmode/start.sh
