# Programs that are made of SPIR-V modules are managed, ordered by bytes, and moved whole; by both functions, with specialisation
# constants, and linked of one module. The same bytes always; footprints that are too narrow are noticed. On a vendor without SPIR-V
# the test's layer takes the program's module. Without llvm-spirv all such launches are native.
# SECONDS: 60
. test/runmode/common.sh
[ -x "$B/clweave-footprint" ] || { echo "clweave-footprint is not built: LLVM is missing"; exit 77; }
version=$(ldd "$B/clweave-footprint" | sed -n 's/.*libLLVM[^0-9]*\([0-9]*\).*/\1/p' | head -n 1)
command -v "llvm-spirv-$version" > /dev/null || { echo "no llvm-spirv-$version: SPIR-V is read through it (package of that name)"; exit 77; }
program=$B/test/runmode/modules
export XDG_CACHE_HOME=$T/cache
"$program" > /dev/null 2>&1
if [ $? = 77 ]; then
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -shared -fPIC -fvisibility=hidden -o "$T/libilcl.so" test/shim/ilcl.c -lpthread || exit 1
    export OPENCL_LAYERS=$T/libilcl.so
fi
moved() { [ "$(count moved)" -ge "$1" ] || fail "only $(count moved) moved: $(cat "$T/summary")"; }

bare "$program" || exit
grep -q '^with constants: 26334642 0 154 0,' "$T/bare" || fail "the vendor has other results: $(cat "$T/bare")"
in_run "$program"
for seed in $(seq "${SEEDS:-2}"); do
    in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1
    managed 270; moved 20
    [ "$(count reordered)" -ge 20 ] || fail "only $(count reordered) reordered: $(cat "$T/summary")"
    in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1 CLWEAVE_DEVICES=far:2
    managed 270
done
# the modules of an earlier run's cache: of the same program, each with its own constants
mkdir "$T/kept"
in_run "$program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_HISTORY="$T/kept/history.db" CLWEAVE_LEARN=all CLWEAVE_BUILDER=wait
in_run "$program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_POLICY=chaos CLWEAVE_HISTORY="$T/kept/history.db" CLWEAVE_LEARN=all CLWEAVE_BUILDER=wait
managed 270
# recorded beside: the trace has the modules, and where each command ran
in_run "$program" CLWEAVE_MANAGE_ALL=1 CLWEAVE_OUT="$T/run.json" && [ -s "$T/run.json" ] || fail "no trace of run mode"
[ "$(grep -c '"source":"//bytes ' "$T/run.json")" = 4 ] || fail "modules in the trace: $(grep -c '"source":"//bytes ' "$T/run.json")"

shown=0
for seed in 1 2 3 4 5 6; do
    env LD_PRELOAD="$shim" CLWEAVE_MODE=run CLWEAVE_SUMMARY=1 CLWEAVE_POLICY=chaos CLWEAVE_SEED=$seed CLWEAVE_MANAGE_ALL=1 \
        CLWEAVE_FAULT=narrow:1 timeout 240 "$program" > "$T/run" 2> "$T/run.err"
    cmp -s "$T/bare" "$T/run" || { shown=1; break; }
done
[ $shown = 1 ] || fail "footprints that are too narrow were not noticed"

mkdir "$T/bin"
ln -s "$(command -v timeout)" "$(command -v "clang-$version")" "$T/bin/"
in_run "$program" CLWEAVE_POLICY=chaos CLWEAVE_MANAGE_ALL=1 PATH="$T/bin" XDG_CACHE_HOME="$T/empty"
grep -q '244 kernel of a binary' "$T/summary" || fail "without llvm-spirv: $(cat "$T/summary")"
done_
