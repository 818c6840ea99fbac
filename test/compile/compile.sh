# clweave-compile: answers to good and bad questions, compiles without running, stays, dies and comes again.
# SECONDS: 20
mkdir "$T/bin"; cp "$B/test/compile/compiler" "$T/bin/"; ln -s "$B/clweave-compile" "$T/bin/"
export POCL_CACHE_DIR=$T/pocl; mkdir -p "$POCL_CACHE_DIR"
bad=0
launches=$(printf '%s: good, in a file\n' 'a launch' 'the same again' 'a wide one' 'with an offset' 'without a local size' 'for a part of the device')
# asks STEPS : the answers are those on standard input
asks() {
    local status=0
    timeout 500 "$T/bin/compiler" $1 > "$T/out" 2> "$T/err" || status=$?
    [ $status != 77 ] || { cat "$T/out"; exit 77; }
    [ $status = 0 ] && diff - "$T/out" && diff /dev/null "$T/err" || { echo "compiler $1: exit status $status, or other answers"; bad=1; }
}
# stops HOST : for longer than the compiler waits for it to take an answer
stops() {
    local host
    for i in 1 2; do
        sleep 0.3
        host=$(pgrep -P $1 -x compiler) || break
        kill -STOP "$host"; sleep 2.5; kill -CONT "$host"
    done
}
# often HOW : 80 questions of four threads are answered; where the compiler is stopped meanwhile, some may be left unasked
often() {
    local host
    timeout 500 "$T/bin/compiler" threads > "$T/out" 2> "$T/err" & host=$!
    [ "$1" != stopped ] || stops $host
    wait $host
    [ "$1" != stopped ] || sed -Ei '/^threads:/ { s/[0-9]+ good/80 good/; s/[0-9]+ not asked/0 not asked/ }' "$T/out"
    diff - "$T/out" <<'END' || { echo "compiler threads, $1: other answers"; bad=1; }
there: 1
threads: 80 good, 0 bad, 0 not asked
a kernel without an end: bad
END
}
asks "good images endless" <<END
there: 1
$launches
images: good, in a file
a sampler, an image in a buffer, one that is written: good, in a file
a kernel without an end: good, in a file
a kernel without an end: bad
END
[ "$(find "$POCL_CACHE_DIR" -name 'add.so' | wc -l)" -ge 3 ] && find "$POCL_CACHE_DIR" -name endless.so | grep -q . || { echo "nothing is in PoCL's cache"; bad=1; }
asks bad <<'END'
there: 1
no such kernel: bad
an argument is missing: bad
no source: bad
no such device: bad
four dimensions: bad
a local size that does not divide: bad
a kernel without an end: bad
END
often undisturbed
asks "good dies rests" <<END
there: 1
$launches
after its death: good, in a file
$launches
a kernel without an end: bad
END
often stopped
# where it is not beside the program nothing is asked
rm "$T/bin/clweave-compile"
asks good <<END
there: 0
${launches//good, in a file/not asked}
a kernel without an end: bad
END
# by hand it says what it is
"$B/clweave-compile" > "$T/out" 2> "$T/err" < /dev/null 3<&-; [ $? = 2 ] && grep -q 'libclweave.so only' "$T/err" || { echo "clweave-compile by hand"; bad=1; }
left=$(grep -l "$T/bin/[c]lweave-compile" /proc/[0-9]*/cmdline 2> /dev/null) # not this grep
[ -z "$left" ] || { echo "left behind: $left"; bad=1; }
[ $bad = 0 ]
