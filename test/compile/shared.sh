# One clweave-compile for many processes (shared.c) gives the answers of one for each: again and again, to several at once. Without it,
# for another cache, with other settings of PoCL's, or where it cannot say, its clients become clweave-compile.
bad=0
mkdir "$T/bin" "$T/pocl" "$T/other"
cp "$B/test/compile/compiler" "$T/bin/"
cp "$B/test/compile/shared" "$T/bin/clweave-compile"
printf '#!/bin/sh\necho alone >> "%s/alone"\nexec "%s/clweave-compile" "$@"\n' "$T" "$B" > "$T/bin/clweave-compile-alone"
chmod +x "$T/bin/clweave-compile-alone"
export POCL_CACHE_DIR=$T/pocl
# asks ALONE STEP... : the answers are those of clweave-compile, which is started (yes), or not (no), or may be (any)
asks() {
    local alone=$1 status=0; shift
    rm -f "$T/alone"
    timeout 500 "$T/bin/compiler" "$@" > "$T/out" 2>&1 || status=$?
    [ $status != 77 ] || { cat "$T/out"; exit 77; }
    [ $status = 0 ] && diff "$T/expected $*" "$T/out" || { echo "compiler $*: exit status $status, or other answers"; bad=1; }
    [ $alone = any ] || [ "$([ -e "$T/alone" ] && echo yes || echo no)" = $alone ] || { echo "compiler $*: alone, $alone was expected"; bad=1; }
}
begin() { for i in 0 1; do "$T/bin/clweave-compile" serve $i & servers[i]=$!; done; }
end() { kill "${servers[@]}" && wait "${servers[@]}" 2> /dev/null; rm -f "$T"/pocl/compiler.*; }
trap 'kill "${servers[@]}" 2> /dev/null' EXIT

mkdir "$T/real" && cp "$T/bin/compiler" "$T/real/" && ln -s "$B/clweave-compile" "$T/real/"
for steps in "good images" "images endless"; do
    timeout 500 "$T/real/compiler" $steps > "$T/expected $steps"
    [ $? != 77 ] || { cat "$T/expected $steps"; exit 77; }
done
grep -q '^a launch: good, in a file' "$T/expected good images" || { cat "$T/expected good images"; bad=1; }
asks yes good images
cp -r "$T/pocl/." "$T/other"
begin
while [ ! -S "$T/pocl/compiler.0" ] || [ ! -S "$T/pocl/compiler.1" ]; do sleep .02; done
asks any good images # some code serves several launches, and is loaded once
for i in 1 2 3 4; do asks no images endless; done
for i in 1 2 3; do timeout 500 "$T/bin/compiler" good images > "$T/out$i" 2>&1 & clients[i]=$!; done
wait "${clients[@]}"
for i in 1 2 3; do diff "$T/expected good images" "$T/out$i" || { echo "client $i of three: other answers"; bad=1; }; done
POCL_WORK_GROUP_METHOD=workitemloops asks yes good images
POCL_CACHE_DIR=$T/other asks yes good images
end
asks yes good images
exit $bad
