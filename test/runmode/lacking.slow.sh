# Every function of shim/door/api.inc, called as lacking.sh calls some.
ALL=1 . test/runmode/lacking.sh
