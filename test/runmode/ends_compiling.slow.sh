# The same on more devices, and as users run it.
ALL=1 DEVICES="none cpu,basic:2 cpu,sub:2 cpu,basic:1,sub:2"
. test/runmode/ends_compiling.sh
unset POCL_DEVICES
bare "$T/moments" && in_run "$T/moments"
done_
