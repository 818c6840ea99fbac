#!/bin/bash
# SPIR-V modules: those that clang and llvm-spirv make of the own kernels are described as their sources are, and what is claimed of
# them holds under Oclgrind; false claims are noticed. Modules that are damaged, too large or not there have an error in words.
# SECONDS: 40
# SLOW: ALL=1
set -u
. test/footprint/common.sh
version=$(ldd "$f" | sed -n 's/.*libLLVM[^0-9]*\([0-9]*\).*/\1/p' | head -n 1)
for tool in clang llvm-spirv; do
    [ "$version" ] && command -v "$tool-$version" > /dev/null || { echo "no $tool-$version: SPIR-V is read through it (package of that name)"; exit 77; }
done
export CW_FOOTPRINT=$f CW_LLVM=$version CW_MODULES=$T/modules
mkdir -p "$CW_MODULES"
bad=0
fail() { echo "$1"; bad=1; }
# llvm-spirv 14 cannot write assembly; `fourth` looks beyond a vector's end, of which SPIR-V says nothing
kernels=$(ls $here/kernels/*.cl | grep -v assembly)
python3 $here/spirv.py --show $kernels > "$T/table"
grep '\.cl: ' "$T/table" | grep -v ': fourth: groups' && fail "other answers than of the source: $(cat "$T/table")"
[ "$(sed -n 's/ of .* kernels the same.*//p' "$T/table")" -ge 180 ] || fail "too few kernels: $(tail -n 1 "$T/table")"

# one claim is broken: the comparison with Oclgrind notices it
check() { python3 $here/check.py --footprint $here/by_spirv.py --runner "$B/test/footprint/runner" "$@"; }
if [ ${#oracle[@]} -gt 0 ]; then
    check "${oracle[@]}" --tiles 4 --every $((${ALL:-0} ? 1 : 12)) $here/own.json $here/kernels > "$T/claims" || fail "$(cat "$T/claims")"
    check "${oracle[@]}" --break radius --only stencil --tiles 4 $here/own.json $here/kernels > "$T/broken"
    [ $? = 1 ] && grep -q "VIOLATION oclgrind" "$T/broken" || fail "broken claims passed under Oclgrind"
fi

# the programs of polls.sh; an optimised module has read once what is not volatile
sed -n '/^kernel\|^int go/p' test/footprint/polls.sh > "$T/polls.cl"
python3 $here/by_spirv.py --models "$T/polls.cl" | grep -o '"kernel":"[a-z0-9_]*"\|"polls":[a-z]*' | paste -d ' ' - - | tr -d '"' > "$T/found"
grep -v 'kernel:polls_[a-z0-9_]* polls:true\|kernel:ends_[a-z0-9_]* polls:false' "$T/found" && fail "of other polling than the source"
[ "$(wc -l < "$T/found")" = "$(grep -c ^kernel "$T/polls.cl")" ] || fail "not all kernels poll or end"

# a function of the module that is called like one of OpenCL C is not taken for it, nor one of another module for one without effects
cat > "$T/names.cl" <<'END'
int __attribute__((overloadable, noinline)) abs_diff2(int a, int b) { return a * 100 + b; }
extern int other(int a);
kernel void own(global int *a) { a[abs_diff2(get_global_id(0), 3)] = min(a[1], 3); }
kernel void foreign(global int *a) { a[get_global_id(0)] = other(3); }
END
python3 $here/by_spirv.py "$T/names.cl" > "$T/out"
module=$(ls -t "$CW_MODULES"/*.spv | head -n 1)
python3 - "$module" "$T/named.spv" <<'END'
import sys
m = open(sys.argv[1], "rb").read()
m = m.replace(b"_Z9abs_diff2ii\0\0", b"_Z3minii\0\0\0\0\0\0\0\0")
open(sys.argv[2], "wb").write(m)
END
"$f" "$T/named.spv" | python3 -c '
import json, sys
k = {k["name"]: k for k in json.load(sys.stdin)["kernels"]}
assert "100*gid0" in k["own"]["accesses"][-1]["offset"], k["own"]["accesses"]
assert not k["own"]["other_memory"] and k["foreign"]["other_memory"], k' || fail "names of functions"

# what is wrong with a module is said
says() { # WORDS [VARIABLE=VALUE] OPTION... FILE
    local words=$1 with=(); shift
    [[ $1 != PATH=* ]] || { with=("$1"); shift; }
    timeout 120 env "${with[@]}" "$f" "$@" > "$T/out" 2> "$T/err" < /dev/null
    [ $? = 1 ] && python3 -c 'import json, sys; sys.exit(sys.argv[2] not in json.load(open(sys.argv[1]))["error"]["message"])' "$T/out" "$words" ||
        fail "no error with \"$words\": $(head -c 500 "$T/out" "$T/err")"
}
head -c 2000 "$module" > "$T/short.spv"; says "the SPIR-V module" "$T/short.spv"
{ printf '\x07\x23\x02\x03'; tail -c +5 "$module"; } > "$T/order.spv"; says "in the other byte order" "$T/order.spv"
{ cat "$module"; head -c 100000000 /dev/zero; } > "$T/large.spv"; says "longer than 16 MiB" "$T/large.spv"
{ head -c 4 "$module"; head -c 400 /dev/zero; } > "$T/zero.spv"; says "damaged" "$T/zero.spv"
{ printf 'X'; tail -c +2 "$module"; } > "$T/magic.spv"; says "does not compile" "$T/magic.spv"
python3 - "$module" "$T/type.spv" <<'END' # an instruction names a type that is none
import struct, sys
w = list(struct.unpack(f"<{len(open(sys.argv[1], 'rb').read()) // 4}I", open(sys.argv[1], "rb").read()))
at = 5
while w[at] & 0xffff != 54:
    at += w[at] >> 16
w[at + 4] = 1
open(sys.argv[2], "wb").write(struct.pack(f"<{len(w)}I", *w))
END
says "llvm-spirv-$version refuses the SPIR-V module" "$T/type.spv"
mkdir "$T/bin" "$T/empty"
says "llvm-spirv-$version reads SPIR-V and is not here" "PATH=$T/empty" "$module"
tool() { printf '#!/bin/sh\n%s\n' "$1" > "$T/bin/llvm-spirv-$version"; chmod +x "$T/bin/llvm-spirv-$version"; }
tool 'exit 3'; says "it says nothing" "PATH=$T/bin:$PATH" "$module"
tool 'cat /dev/zero'; says "" "PATH=$T/bin:$PATH" "$module"
tool 'while :; do :; done'; says "no answer within 1 seconds of processor time" "PATH=$T/bin:$PATH" --seconds 1 "$module"
tool 'sleep 60'; says "no answer within 1 seconds" "PATH=$T/bin:$PATH" --wall 1 "$module"
exit $bad
