# linkers.sh in all settings.
ALL=1
. test/runmode/linkers.sh
