# test/run that is interrupted leaves no process and no file: by Ctrl-C (a signal to the whole group) and by SIGTERM to it alone. A
# copy of it has one test, whose processes lie in other groups and sessions, wait below `timeout`, and ignore SIGTERM.
set -u
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
tree=$T/tree
mkdir -p "$tree/test/one" "$tree/build"
cp test/run "$tree/test/"
cat > "$tree/test/one/hangs.sh" << 'END'
setsid sleep 1000 &
timeout 900 sleep 1000 &
(trap '' TERM; while :; do sleep .1; done) &
mktemp > /dev/null
touch "$BEGUN"
wait
END
left() { env -u LEFT grep -lszx "LEFT=$T" /proc/[0-9]*/environ; }
for how in INT TERM; do
    rm -rf "$T/tmp"; mkdir "$T/tmp"
    set -m # a group of its own, that does not ignore SIGINT
    LEFT=$T TMPDIR=$T/tmp BEGUN=$T/begun.$how B=$tree/build "$tree/test/run" all > "$T/out" 2>&1 < /dev/null &
    set +m
    until [ -e "$T/begun.$how" ]; do sleep .05; done
    if [ $how = INT ]; then kill -INT -- "-$!"; else kill -TERM $!; fi
    wait $!
    status=$?
    [ $status = 130 ] || fail "$how: exit status $status: $(cat "$T/out")"
    for pid in $(left); do fail "$how leaves $(tr '\0' ' ' < "${pid%environ}cmdline")"; done
    [ -z "$(ls "$T/tmp")" ] || fail "$how leaves $(ls "$T/tmp")"
    for pid in $(left); do kill -KILL "$(basename "${pid%/environ}")"; done
done
[ $failures = 0 ]
