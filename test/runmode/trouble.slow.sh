# Every trouble in every way.
export ALL=1
. test/runmode/trouble.sh
