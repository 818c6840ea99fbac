# Every kind of command, in traces made by hand, run again.
# the vendor leaks, in its own threads, and upsets the leak checker of a sanitised build
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
exec "$B/test/execute/commands"
