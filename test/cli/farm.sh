# clweave farm: tables, failures, errors; workers and masters killed and stopped at random: each result once, the table
# that of a quiet run. No line asserts a time.
. "$(dirname "$0")/common.sh"
root=$PWD B=$(realpath "$B"); PATH=$B:$PATH
cd "$T" || exit
farm() { # STATUS, then words behind `clweave farm`
    local wanted=$1 got; shift
    clweave farm "$@" > out 2> err < /dev/null; got=$?
    [ $got = "$wanted" ] || fail "status $got, expected $wanted: $* $(cat err)"
}
says() { grep -q -- "$1" err || fail "no message '$1': $(cat err)"; }
same() { cmp "$1" "$2" || fail "$1 is not $2"; }

printf '1 a\n\n2 "b c"\n3 '"'d'"'e\n' > list
seq 4 > four
seq 3 > three
prints='case $1 in 1) printf "a,b,task,A\n1,\"x,\"\"y\",.5,\n2.5,,z,\n";; 2) echo c;; 3) printf "a\n1,2\n";; esac'
expect farm_help 0 clweave farm --help
expect farm_words 0 clweave farm --each list -- printf '<%s>' {} x{}y {2}
expect farm_product 0 clweave farm --each four --each list --workers 3 -- echo {1}-{2}
expect farm_failing 1 clweave farm --each four -o failing.csv -- sh -c 'echo out $1; echo err $1 >&2; [ $1 != 3 ] || exit 7' x {}
expect farm_status 0 sh -c "clweave farm status failing.csv.farm | sed '/tasks.s/d'"
expect farm_table 0 cat failing.csv
clweave farm status failing.csv > out 2> err; grep -q '^failing.csv.farm: finished: 4 tasks, 1 failed$' out || fail "status of a table: $(cat out)"
expect farm_kills_worker 1 clweave farm --each four --workers 1 -- sh -c '[ $1 = 3 ] && kill -9 $PPID; echo $1' x {}
expect farm_timeout 1 clweave farm --each four --tries 1 --timeout 3 -- sh -c '[ $1 != 2 ] || { echo began; exec sleep 1000; }' x {}
expect farm_job_timeout 1 clweave farm --each four --tries 1 --timeout 0.02 -- clweave dispatch --tasks 5000000 --seed {}
expect farm_own_commands 1 clweave farm --each four -- clweave generate none --tasks {}
expect farm_usage 2 clweave farm
expect farm_no_command 2 clweave farm --each four
expect farm_bad_tries 2 clweave farm --each four --tries -1 -- true
expect farm_no_list 1 clweave farm --each none -- true
expect farm_empty 1 clweave farm --each /dev/null -- true
expect farm_empty_second 1 sh -c 'clweave farm --each "$1" --each - -- true < /dev/null' x four
expect farm_list_is_table 1 clweave farm --each four -f csv -o ./four -- true
expect farm_open_quote 1 sh -c "printf 'a\n\"b\n' | clweave farm --each - -- echo {}"
expect farm_few_words 1 clweave farm --each four -- echo {2}
expect farm_no_program 1 clweave farm --each four -- ./none {}
expect farm_no_folder 1 clweave farm --each four -o none/x.csv -- true
expect farm_rows_csv 1 clweave farm --each three --rows csv -- sh -c "$prints" x {}
expect farm_rows_text 0 clweave farm --each three --each list -- sh -c "$prints" x {}
expect farm_sqlite_stdout 1 clweave farm --each four --format sqlite -- true
expect farm_no_kind 1 clweave farm --each four -o x.txt -- true
expect farm_no_checkpoint 1 clweave farm status four
expect farm_there 1 clweave farm --each four -o failing.csv -- true
expect farm_resume_out 2 clweave farm -o x.csv resume failing.csv.farm
expect farm_other 1 clweave farm --each four -o failing.csv --resume -- true
farm 1 --each four -- {}; says 'task 1 (1) failed: cannot run it: No such file'

for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 1>&- 2>&-'; do # standard streams; tasks have theirs
    bash -c "clweave farm --each four --resume -o closed.csv -- sh -c 'echo \$1; echo \$1 >&2' x {} $closed" 2> err || fail "$closed: $(cat err closed.csv)"
    [ "$(tail -n +2 closed.csv | cut -d, -f4 | paste -sd ' ')" = '1 2 3 4' ] || fail "$closed: $(cat closed.csv)"
    rm closed.csv
done

# the same cells in each form of table, numbers as numbers; a database is complete or not there
clweave generate topcuoglu --tasks 12 --count 4 -o g.json > /dev/null; ls g-*.json > graphs; printf 'heft\nhscgs\n' > policies
for form in csv json jsonl sqlite; do
    farm 0 --each graphs --each policies --each three -o rows.$form -- clweave compare {1} -p {2} --seed {3} --csv -
    farm 1 --each three --rows json -o objects.$form -- sh -c 'case $1 in
        1) echo "{\"a\":1,\"b\":\"7\"}";; 2) printf "{\"n\":1,\"results\":[{\"a\":1.5,\"d\":[1, [2]]},{\"b\":null}]}";; 3) exit 3;; esac' x {}
    farm 0 --each list -o "bytes.$form" -- printf '%s\n"\t\377\0.' {2}
done
farm 0 --each three --format sqlite -o named -- echo {}
python3 - << 'P' || fail "tables"
import csv, json, sqlite3
def tables(name):
    db = sqlite3.connect(name + ".sqlite")
    db.row_factory = sqlite3.Row
    return (list(csv.DictReader(open(name + ".csv", errors="surrogateescape", newline=""))), json.load(open(name + ".json")),
            [json.loads(line) for line in open(name + ".jsonl")], [dict(r) for r in db.execute("SELECT * FROM farm")])
def text(row):
    return {k: "" if v is None else str(v) for k, v in row.items()}
def number(row):
    return {k: float(v) if k in ("makespan", "slr", "speedup", "efficiency", "lower_bound", "nsl") else v for k, v in row.items()}
lines, array, objects, rows = tables("rows")
assert len(rows) == 24 and array == objects == rows and list(map(number, lines)) == [number(text(r)) for r in rows]
assert rows[5]["graphs"] == rows[5]["graph"] == "g-0.json" and (rows[5]["policy"], rows[5]["three"], rows[5]["tasks"]) == ("hscgs", 3, 12)
lines, array, objects, rows = tables("objects")
assert array == objects == rows and lines == [text(r) for r in array]
assert [(r["task"], r["status"], r["a"], r["b"], r["d"]) for r in rows] == [
    (1, "ok", 1, "7", None), (2, "ok", 1.5, None, "[1, [2]]"), (2, "ok", None, None, None), (3, "exit status 3", None, None, None)]
lines, array, objects, rows = tables("bytes")
assert rows[0]["output"] == b'a\n"\t\xff\0.' and array == objects and array[2]["output"] == 'de\n"\t\uefff\uef00.'
assert sqlite3.connect("named").execute("SELECT sum(output) FROM farm").fetchall() == [(6,)]
P
rm -f objects.*.farm # tables that are finished, and have lost their checkpoints
for form in csv json jsonl sqlite; do
    farm 0 status rows.$form; grep -q '^rows.[a-z]*: finished: 24 tasks, 0 failed$' out || fail "$form: $(cat out)"
    farm 0 status objects.$form; grep -q '^objects.[a-z]*: finished: 3 tasks, 1 failed$' out || fail "$form: $(cat out)"
done
rm -f named # what cannot be written leaves nothing behind
( ulimit -f 100; clweave farm --each three --checkpoint large --rows json -o none.sqlite -- sh -c 'yes "{\"a\":1}" | head -n 3000' ) 2> err && fail "a full disk is no error"
says 'cannot write none.sqlite: '; [ ! -e none.sqlite ] && [ -z "$(ls ./*.tmp 2> /dev/null)" ] || fail "left: $(ls)"
farm 0 resume large; [ "$(python3 -c 'import sqlite3; print(sqlite3.connect("none.sqlite").execute("SELECT count(*) FROM farm").fetchone()[0])')" = 9000 ] || fail "resumed: $(cat err)"
farm 1 --rows json resume failing.csv.farm; grep -q 'its output is no JSON' failing.csv || fail "rows: $(cat failing.csv)"; farm 1 resume failing.csv.farm

# JSON lines: any bytes; a table that is done has no checkpoint, a failed one is resumed to the same table
farm 0 --each list -o words.jsonl -- printf '%s\n"\t\377\0.' {2}
python3 - << 'P' || fail "JSON: $(cat words.jsonl)"
import json
rows = [json.loads(line) for line in open("words.jsonl")]
assert [r["task"] for r in rows] == [1, 2, 3] and {r["status"] for r in rows} == {"ok"} and rows[1]["input"] == '2 "b c"'
assert [r["output"] for r in rows] == [w + '\n"\t\uefff\uef00.' for w in ("a", "b c", "de")]
P
[ ! -e words.jsonl.farm ] && [ -e failing.csv.farm ] || fail "checkpoints: $(ls)"
finished() { # FILE TASKS FAILED: a table without a checkpoint
    farm 0 status "$1"; grep -q "^$1: finished: $2, $3 failed\$" out || fail "$1: $(cat out)"
    farm 0 resume "$1"; grep -q "^$1: finished: $2, $3 failed\$" out || fail "$1: $(cat out)"
}
finished words.jsonl '3 tasks' 0
farm 0 status --json words.jsonl; grep -q '"tasks":3,"done":3,"failed":0,"at_work":0' out || fail "status --json: $(cat out)"
for table in odd.csv odd.jsonl; do # quotes, commas, newlines and words of the table's own inside cells
    farm 1 --each list -o $table -- sh -c 'printf "a,\"b\n{\"task\":9,\"status\":\"x\"" ; [ "$1" != 2 ]' x {1}
    rm $table.farm; finished $table '3 tasks' 1
done
cp failing.csv before.csv; farm 1 resume failing.csv.farm; same failing.csv before.csv

# tasks that failed are run again when that is asked for, also by a farm that is stopped meanwhile; the others are not
fails='echo $1 >> runs; [ $1 = 2 ] || [ -e mended ] || exit 1; echo $1'
expect farm_retry_hint 1 clweave farm --each four --tries 1 -o retry.csv -- sh -c "$fails" x {}
touch mended; rm runs; farm 1 resume retry.csv; [ ! -e runs ] || fail "run again without being asked"
cp retry.csv.farm stopped.farm
( ulimit -f 0; clweave farm --retry-failed resume stopped.farm ) 2> err && fail "a full disk is no error"
farm 0 --retry-failed --workers 1 resume retry.csv; [ "$(paste -sd ' ' runs)" = '1 3 4' ] || fail "run again: $(cat runs)"
[ "$(tail -n +2 retry.csv | cut -d, -f3,4 | paste -sd ' ')" = 'ok,1 ok,2 ok,3 ok,4' ] && [ ! -e retry.csv.farm ] || fail "retried: $(cat retry.csv)"
rm mended; farm 1 --retry-failed resume stopped.farm; farm 0 status stopped.farm; grep -q ': 4 tasks, 3 failed' out || fail "status: $(cat out)"
touch mended; farm 0 --retry-failed resume stopped.farm; farm 0 status stopped.farm; grep -q ': 4 tasks, 0 failed' out || fail "status: $(cat out)"
expect farm_retry_alone 2 clweave farm --retry-failed --each four -- true

# a file system without files that have no name
if command -v strace > /dev/null; then
    TMPDIR=$T strace -f -o /dev/null -P "$T" -e inject=openat:error=EOPNOTSUPP clweave farm --each four -- echo {} > out 2> err || fail "unnamed: $(cat err)"
    [ "$(grep -c ',ok,' out)" = 4 ] && [ -z "$(ls clweave-farm.* 2> /dev/null)" ] || fail "unnamed: $(ls; cat out)"
fi

# the same rows for any number of workers and size of block
seq 2000 > many
job=(clweave dispatch --workers 9 --tasks 2000 --worker-mtbf 300 --seed {})
farm 0 --each many --workers 2 -o quiet.csv -- "${job[@]}"
[ "$(grep -c ',ok,' quiet.csv)" = 2000 ] || fail "quiet: $(wc -l quiet.csv)"
farm 0 --each many --workers 5 --block 1 -o other.csv -- "${job[@]}"; same other.csv quiet.csv

# clweave's own commands give inside a worker what they give as a process
for run in 'replay {1} --policy {2} --json' 'simulate {1} -p {2} --noise 0.3' 'compare {1} -p {2} -p peft'; do
    farm 0 --each graphs --each policies --rows text -o inside.csv -- clweave $run
    farm 0 --each graphs --each policies --rows text -o outside.csv -- env clweave $run; same inside.csv outside.csv
done

# workers are killed and stopped, and at last their master: it goes on from its checkpoint
RANDOM=${SEED:-1}
disturbed() { # TABLE LIST COMMAND... : until it is done
    local table=$1 list=$2 round=0 master workers; shift 2
    while :; do
        clweave farm --resume --each "$list" -o "$table" --workers 3 --patience 0.1 --tries 250 -- "$@" 2>> err &
        master=$!
        for _ in 1 2 3 4; do
            sleep 0.0$((RANDOM % 9 + 1))
            workers=($(ps -o pid= --ppid $master))
            [ ${#workers[@]} = 0 ] || kill -$([ $((RANDOM % 3)) = 0 ] && echo STOP || echo KILL) \
                "${workers[RANDOM % ${#workers[@]}]}" 2> /dev/null
        done
        round=$((round + 1))
        [ $round -gt 8 ] || kill -KILL $master 2> /dev/null
        wait $master 2> /dev/null && return
        [ $round -lt 60 ] || { fail "$table is not done in 60 rounds: $(tail -n 3 err)"; return; }
    done
}
disturbed disturbed.csv many "${job[@]}"; same disturbed.csv quiet.csv
head -n 150 many > some
farm 0 --each some -o quiet2.csv -- sh -c 'echo $(($1 * $1))' x {}
disturbed disturbed2.csv some sh -c 'echo $(($1 * $1))' x {}; same disturbed2.csv quiet2.csv

# each program was begun, and one at least has ended, when a signal comes: the farm ends them, and says how to go on
waits='[ -e go ] || [ $1 = 1 ] || { echo $$ >> pids; exec sleep 1000; }; echo $1'
clweave farm --each four --workers 3 -o stopped.csv -- sh -c "$waits" x {} 2> err &
master=$!
until [ "$(cat pids 2> /dev/null | wc -l)" = 3 ]; do sleep 0.02; done
clweave farm status stopped.csv.farm > out; grep -q '; at work$' out || fail "status: $(cat out)"
farm 1 resume stopped.csv.farm; says 'another clweave farm is at work on stopped.csv.farm'
kill -TERM $master; wait $master; got=$?
clweave farm status stopped.csv > out; grep -q ': 1 of 4 tasks done, 0 of them failed; stopped$' out || fail "status: $(cat out)"
[ $got = 1 ] || fail "stopped: status $got"
for pid in $(cat pids); do kill -0 "$pid" 2> /dev/null && fail "task $pid outlives its farm"; done
# a program's children end with the worker that ran it
clweave farm --each four --workers 1 --tries 1 -- sh -c '[ $1 = 2 ] || exit 0; sleep 1000 & echo $! > child; kill -KILL $PPID; wait' x {} > out 2> err
grep -q '^2,2,its worker died of signal 9' out || fail "killed: $(cat out)"
child=$(cat child)
for _ in $(seq 6000); do # the kernel takes its time
    case $(ps -o stat= -p "$child") in '' | Z*) child=; break ;; esac
    sleep 0.05
done
[ -z "$child" ] || fail "the child of a program outlives the worker"
if command -v strace > /dev/null; then # also when the worker dies before it knows its program's group; strace waits for all
    strace -f -o /dev/null -e trace=setpgid -e inject=setpgid:delay_exit=300000:when=2+ clweave farm --each four --workers 1 --tries 1 -- \
        sh -c '[ $1 = 2 ] || exit 0; (sleep 20; touch outlived) & kill -KILL $PPID; wait' x {} > out 2> err
    grep -q '^2,2,its worker died of signal 9' out || fail "killed early: $(cat out)"
    [ ! -e outlived ] || fail "the child of a program outlives the worker that is killed early"
fi
[ ! -e stopped.csv ] || fail "a farm that is not done has a table"
touch go; farm 0 resume stopped.csv.farm
[ "$(tail -n +2 stopped.csv | cut -d, -f4 | tr '\n' ' ')" = '1 2 3 4 ' ] || fail "resumed: $(cat stopped.csv)"

# a full disk: the checkpoint, then the table, do not fit
large=(sh -c 'head -c 3000 /dev/zero | tr "\0" x; echo $1' x {})
farm 0 --each some -o quiet3.csv -- "${large[@]}"
( ulimit -f 100; clweave farm --each some -o full.csv -- "${large[@]}" ) 2> err && fail "a full disk is no error"
says 'cannot write full.csv.farm: File too large'; says "'clweave farm resume full.csv.farm' goes on"
[ ! -e full.csv ] || fail "a table without room"
farm 0 resume full.csv.farm; same full.csv quiet3.csv

# stray bytes at the end of a checkpoint count for nothing
farm 1 --each four -o stray.csv -- sh -c 'echo $1; [ $1 != 3 ]' x {}
cp stray.csv before.csv; head -c 77 stray.csv.farm >> stray.csv.farm
clweave farm status stray.csv.farm > out 2> /dev/null; grep -q '^77 bytes at its end' out || fail "stray: $(cat out)"
farm 1 resume stray.csv.farm; same stray.csv before.csv

# a checkpoint and a table are their user's alone; results that another user may have written are not taken
farm 1 --each four -o ours.csv -- sh -c 'echo $1; [ $1 != 3 ]' x {}
[ "$(stat -c %a ours.csv ours.csv.farm | sort -u)" = 600 ] || fail "modes: $(stat -c '%a %n' ours.csv ours.csv.farm)"
again=(--each four --resume -o ours.csv -- sh -c 'echo $1; [ $1 != 3 ]' x {})
for mode in 620 602; do
    chmod $mode ours.csv.farm; farm 1 "${again[@]}"; says "other users may write ours.csv.farm"
done
chmod 644 ours.csv.farm; farm 1 "${again[@]}"; says 'retry-failed'
if [ "$(id -u)" = 0 ]; then
    chown 65534 ours.csv.farm; farm 1 "${again[@]}"; says 'belongs to another user (65534)'
fi
rm ours.csv.farm; mkfifo ours.csv.farm; farm 1 "${again[@]}"; says 'is not a file'
cd "$root" && finish
