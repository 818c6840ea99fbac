# tiles_shared.sh with every fault on every kind of device.
ALL=1
. test/runmode/tiles_shared.sh
