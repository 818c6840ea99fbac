# groups_alone.sh for longer.
ROUNDS=20
. test/runmode/groups_alone.sh
