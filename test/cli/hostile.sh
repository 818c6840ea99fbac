#!/bin/bash
# hostile.sh - traces, graphs and kernels of others: no control character of theirs reaches a terminal, pages and pictures are
# what their formats allow, nothing that is made from a private file is open to others, no pipe is waited for, and a file that is
# cut short while it is read is an error that is told.
. test/cli/common.sh
umask 022
# a control sequence of each kind (ESC, the single character U+009B, DEL, return), the ends of strings and elements, a cut character
evil='\\u001b]0;evil\\u0007\\u009b31m\\u007f\\r</title></script>]]>--><b>\&\\"'"'"
sed -E -e "s@\"(name|vendor|version|driver_version|program|command|host|cwd)\":\"@&$evil@g" -e "s@\"num_args\":3@&@" \
    -e 's@"complete":true@"stopped_why":"\\u001b[2J\\u009b2J",&@' -e "s@kernel void split@& /* $evil */ @" \
    test/fuzz/blockmatmul.json > "$T/evil.json"
sed -E -e "s@\"(name|class)\": \"@&$evil@g" test/golden/graphs/blockmatmul.json > "$T/graph.json"
grep -q evil "$T/graph.json" && grep -q evil "$T/evil.json" || fail "nothing evil"
printf 'kernel void k(global int *a) /* \033[2J\302\233 */\n{ a[get_global_id(0)] = \033]0;\007; }\n' > "$T/evil.cl"
printf 'constant char s[] = "\033[2J\302\2332J";\r\nkernel void k(global int *a) { a[get_global_id(0)] = s[1]; }\n' > "$T/good.cl"
printf 'digraph { a [label="\033]0;\007 x", cost=1]; b [label="\302\233", cost=2]; a -> b [data=1]; }' > "$T/graph.dot"

# harmless NAME: no controls in it
harmless() {
    python3 - "$1" <<'P' || fail "$2: controls reach the terminal"
import re, sys
data = open(sys.argv[1], 'rb').read().replace(b'\r\n', b'\n')  # the terminal's own line ends
sys.exit(bool(re.search(rb'[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]', data)) or bool(data.decode('utf-8', 'replace').count('\ufffd')))
P
}
# printed COMMAND...: what it says, to a pipe
printed() { "$@" > "$T/said" 2>&1 < /dev/null; harmless "$T/said" "$*"; }
printed clweave graph "$T/evil.json"
printed clweave graph "$T/evil.json" --json
printed clweave graph "$T/evil.json" --show 1
printed clweave report "$T/evil.json"
printed clweave report "$T/evil.json" --kernel split
printed clweave report "$T/evil.json" --kernel $'\033[2J('
printed clweave graph "$T/evil.json" --kernel none
printed clweave graph "$T/evil.json" --commands $'\033[2J\302\233'
printed clweave graph "$T/evil.json" --from $'\302\233'
clweave graph "$T/evil.json" --kernel $'split|\033]2J\302\233</script>' -o "$T/evil-part.json" || fail "a part"
printed clweave report "$T/evil-part.json"
printed clweave graph "$T/evil-part.json"
printed clweave graph "$T/evil-part.json" --footprints on
printed clweave diff "$T/evil.json" "$T/evil.json"
printed clweave diff "$T/evil.json" "$T/evil.json" --json
printed clweave replay "$T/evil.json" --platform hxdsp -p heft
printed clweave replay "$T/evil.json" --platform hxdsp -p heft --json
printed clweave replay "$T/graph.json" -p heft --json
printed clweave compare -p heft "$T/graph.json"
printed clweave compare -p heft "$T"/no$'\033[2J\302\233'.json
printed clweave kernel "$T/evil.cl"
printed clweave kernel "$T/good.cl"
printed clweave $'\033[2J'
# shown COMMAND...: what it shows on a terminal
shown() { script -qec "$*" /dev/null > "$T/said" < /dev/null; harmless "$T/said" "$*"; [ -s "$T/said" ] || fail "$*: says nothing"; }
if command -v script > /dev/null; then
    shown clweave graph "$T/evil.json" -f dot
    shown clweave graph "$T/evil.json" -f json
    shown clweave report "$T/evil.json" -o -
    shown clweave timeline "$T/evil.json"
    shown clweave diff "$T/evil.json" "$T/evil.json" -o -
    shown clweave kernel "$T/good.cl" --rewritten
fi
# a rewritten source in a file is for a compiler: every byte as it was
clweave kernel "$T/good.cl" --rewritten > "$T/rewritten.cl" && grep -q $'\033\\[2J\302\2332J' "$T/rewritten.cl" || fail "--rewritten changed bytes"

# files
clweave report "$T/evil.json" -o "$T/page.html" || fail "page"
clweave diff "$T/evil.json" "$T/evil.json" -o "$T/diff.html" || fail "page of a difference"
clweave graph "$T/evil.json" -o "$T/a.dot" || fail "dot"
clweave graph "$T/evil.json" -o "$T/a.svg" || fail "svg"
clweave timeline "$T/evil.json" -o "$T/a-timeline.json" || fail "timeline"
clweave graph "$T/evil.json" -o "$T/a.json" || fail "json"
clweave graph "$T/graph.json" -o "$T/b.dot" || fail "dot of a graph"
clweave graph "$T/graph.dot" -o "$T/c.dot" || fail "dot of a dot"
clweave replay "$T/evil.json" --platform hxdsp -p heft --gantt "$T/a-gantt.svg" > /dev/null || fail "gantt"
clweave replay "$T/graph.json" -p heft --gantt "$T/b-gantt.svg" > /dev/null || fail "gantt of a graph"
for f in "$T"/*.html "$T"/[abc].dot "$T"/[ab].svg "$T"/*-gantt.svg "$T"/a-timeline.json "$T/a.json"; do harmless "$f" "${f##*/}"; done
python3 - "$T" <<'P' || fail "a format is not kept"
import glob, json, re, sys, xml.dom.minidom
for f in glob.glob(sys.argv[1] + '/*.svg'): xml.dom.minidom.parse(f)
def names(f): return [d['name'] for d in json.load(open(f))['kernels'] + json.load(open(f))['devices']]
assert names(sys.argv[1] + '/a.json') == names(sys.argv[1] + '/evil.json'), 'names changed'
json.load(open(sys.argv[1] + '/a-timeline.json'))
def strings(x):
    if isinstance(x, str): yield x
    for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else []: yield from strings(y)
page = open(sys.argv[1] + '/page.html').read()
data = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.S).group(1)
assert any('\x1b]0;evil\x07\x9b31m\x7f\r</title></script>' in s for s in strings(json.loads(data))), 'the name is not in the page'
assert page.count('</script>') == page.count('<script'), 'an element is ended early'
page = open(sys.argv[1] + '/diff.html').read()
assert '<script' not in page and page.count('<b>') == page.count('</b>') == 3, 'a name is markup'
P
if command -v dot > /dev/null; then for f in "$T"/[abc].dot; do dot -Tcanon "$f" > /dev/null || fail "${f##*/}: dot refuses it"; done; fi

# what is made from a file is as open as that
modes() { # MODE: of the trace and of all that is made of it
    local f
    rm -f "$T"/m.*
    cp "$T/evil.json" "$T/m.trace"; chmod $1 "$T/m.trace"
    clweave report "$T/m.trace" -o "$T/m.html" && clweave diff "$T/m.trace" "$T/evil.json" -o "$T/m.diff.html" && clweave graph "$T/m.trace" -o "$T/m.dot" && clweave graph "$T/m.trace" -o "$T/m.svg" &&
        clweave timeline "$T/m.trace" -o "$T/m.timeline" &&
        clweave replay "$T/m.trace" --platform hxdsp -p heft --gantt "$T/m.gantt.svg" > /dev/null &&
        clweave graph "$T/m.trace" -o "$T/m.wfformat.json" && clweave compare -p heft --platform hxdsp "$T/m.trace" --csv "$T/m.csv" > /dev/null ||
        fail "modes: $1"
    for f in "$T"/m.*; do [ "$(stat -c %a "$f")" = $1 ] || fail "${f##*/}: mode $(stat -c %a "$f") from a trace of mode $1"; done
}
modes 600
modes 640
modes 644

# a pipe where the recorder's log would be, and where a trace would be
mkfifo "$T/x.json.log" "$T/p.json" "$T/clweave.json.log"
(cd "$T" && timeout 240 clweave trace -o x.json -- true < /dev/null > "$T/said" 2>&1) || fail "trace: $? $(cat "$T/said")"
(cd "$T" && timeout 240 clweave run -o x.json -- true < /dev/null > "$T/said" 2>&1) || fail "run: $? $(cat "$T/said")"
timeout 240 clweave graph "$T/evil.json" -o "$T/p.json" 2> "$T/said" && fail "a pipe that no process reads was written"
grep -q 'no process reads' "$T/said" || fail "pipe: $(cat "$T/said")"
exec 6<> "$T/p.json" 7< "$T/p.json" # the reader has its end before anything is written
timeout 240 cat <&7 > "$T/read" 6>&- 7<&- & exec 7<&-
clweave graph "$T/evil.json" -f json > "$T/expected" && timeout 240 clweave graph "$T/evil.json" -o "$T/p.json" & wait %+ || fail "a pipe that is read"
exec 6>&-; wait; cmp "$T/read" "$T/expected" || fail "what came through a pipe"

# cut short while it is mapped
${CC:-cc} -D_GNU_SOURCE -O1 -fPIC -shared -o "$T/libcut.so" -x c - <<'C' || fail "libcut.so"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
void *mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
    void *map = (void *)syscall(SYS_mmap, address, n, protection, flags, fd, offset);
    if (fd >= 0 && protection == PROT_READ)
        (void)!truncate("/proc/self/fd/0", 0);
    return map;
}
C
case $B in
*address* | *thread*) ;;
*)  cp "$T/evil.json" "$T/cut.json"
    LD_PRELOAD=$T/libcut.so clweave graph "$T/cut.json" < "$T/cut.json" > "$T/said" 2>&1; status=$?
    [ $status = 1 ] && grep -q 'cut a file short' "$T/said" || fail "cut short: status $status: $(cat "$T/said")" ;;
esac
finish
