# Help, usage errors, man page, completion.
. "$(dirname "$0")/common.sh"

expect no_command 2 clweave
expect unknown_command 2 clweave grpah
expect unknown_option 2 clweave graph --colapse x.json
expect missing_argument 2 clweave graph x.json --limit
expect bad_number 2 clweave graph x.json --limit many
expect bad_choice 2 clweave graph x.json --format gif
expect missing_operand 2 clweave graph
expect extra_operand 2 clweave timeline a.json b.json
expect flag_with_value 2 clweave graph --json=1 x.json
expect help_graph 0 clweave help graph
expect help_unknown 2 clweave help nothing
expect unknown_extension 2 clweave graph test/fuzz/blockmatmul.json -o "$T/x.gif"
[ ! -e "$T/x.gif" ] || fail "a refused format left a file"

# every command is in the list, the manual and the completion
for c in trace run graph report timeline top diff replay compare generate farm kernel devices cache doctor learn help version; do
    clweave --help | grep -q "^  $c " || fail "--help does not list $c"
    clweave help --man | grep -q "^\.SS clweave $c\$" || fail "the manual does not have $c"
    clweave help --completion bash | grep -q "^    $c) words=" || fail "the completion does not have $c"
    clweave $c --help > /dev/null || fail "$c --help fails"
done
# every column of every printed table is explained: headings of the expected outputs stand in --help
explained() { # COMMAND FILE PATTERN: words of the lines of FILE that begin so, which two blanks or more divide
    clweave "$1" --help | sed -n '/^output:/,/^options:/p' > "$T/explained"
    grep -E "$3" "test/cli/expected/$2.out" > "$T/headings" || fail "$2.out has no line '$3'"
    sed 's/^ *//; s/ (work-groups)//; s/   */\n/g' "$T/headings" | grep . | sort -u > "$T/words"
    while read -r word; do grep -qF -- "$word" "$T/explained" || fail "$1 --help does not explain '$word'"; done < "$T/words"
}
explained diff diff '^phase  |^command  |^not the same number  '
explained graph summary '^ *commands  |^ *edges  '
explained replay replay_own_devices '^policy  |^lower bounds  |^ *start  '
explained replay replay_groups '^order  '
explained compare compare_golden '^policy  '
explained simulate simulate '^policy  '
# names of commands are OpenCL's, without CL_COMMAND_, in all that is printed or drawn
for f in summary replay_own_devices timeline dot format_trace_wfformat; do
    sed 's/"type": *"CL_COMMAND_[A-Z_]*"//g' "test/cli/expected/$f.out" > "$T/named"
    grep -q READ_BUFFER "$T/named" || fail "$f.out does not name READ_BUFFER"
    ! grep -q CL_COMMAND_ "$T/named" || fail "$f.out names commands with CL_COMMAND_"
done
clweave report test/fuzz/blockmatmul.json -o "$T/page.html" && grep -q READ_BUFFER "$T/page.html" || fail "the page does not name READ_BUFFER"
! grep -q 'CL_COMMAND_READ' "$T/page.html" || fail "the page names commands with CL_COMMAND_"
# and every setting of options.inc in trace or run, as an option or by --set
for o in out device-times capture-data log; do
    clweave trace --help | grep -q -- "--$o" || fail "trace does not offer --$o"
    clweave run --help | grep -q -- "--$o" || fail "run does not offer --$o"
done
clweave trace --help | grep -q -- --policy && fail "trace offers --policy"
clweave run --help | grep -q -- --policy || fail "run does not offer --policy"
clweave help settings > "$T/settings" || fail "help settings fails"
sed -n 's/^CW_OPTION(\([a-z_]*\), .*CW_CMD_SET.*/\1/p' analyzer/settings/options.inc > "$T/names"
[ "$(wc -l < "$T/names")" -gt 10 ] || fail "settings: $(cat "$T/names")"
while read -r name; do
    grep -q "^ *--set $name=" "$T/settings" || fail "help settings does not have $name"
    clweave run "--$(echo "$name" | tr _ -)" x -- touch "$T/ran" 2> "$T/err"; got=$?
    [ $got = 2 ] && grep -q -- "is now --set $name=" "$T/err" && [ ! -e "$T/ran" ] || fail "run --$name: status $got, $(cat "$T/err")"
done < "$T/names"
# options with a new spelling say it: with a value or without, shortened, and where another option's name begins so
for o in $(sed -n 's/^CW_POLICY_OPTION([^"]*, "\([a-z-]*\)", .*/\1/p' sched/policy_options.inc); do
    clweave replay --$o=1 test/fuzz/blockmatmul.json 2> "$T/err"; got=$?
    [ $got = 2 ] && grep -q -- "--$o is now -p NAME:$o" "$T/err" || fail "replay --$o: status $got, $(cat "$T/err")"
    clweave replay --list-policies | grep -q "^$o[= ]" || fail "--list-policies does not explain $o"
done
expect moved_policy_option 2 clweave replay --policy hdgeft --window 5 test/fuzz/blockmatmul.json
expect moved_group_option 2 clweave replay -p groups --group-h=5 test/fuzz/blockmatmul.json
expect moved_order 2 clweave replay -x --drop-edge auto test/fuzz/blockmatmul.json
expect moved_setting 2 clweave trace --callsites=8 -- touch "$T/ran"
expect moved_flag 2 clweave learn --preload-poststore -- touch "$T/ran"
expect unknown_elsewhere 2 clweave trace --rows off -- touch "$T/ran"
for shell in bash zsh fish; do clweave help --completion $shell | grep -q clweave || fail "no completion of $shell"; done
completed=$(bash -c 'source <(clweave help --completion bash); COMP_WORDS=(clweave graph --for); COMP_CWORD=2; _clweave; echo "${COMPREPLY[@]}"')
[ "$completed" = --format ] || fail "completion of --for gives '$completed'"
completed=$(bash -c 'source <(clweave help --completion bash)
    for words in "run --set ro" "run --set rows = " "trace --set inj" "trace --set ro" "run --row"; do
        COMP_WORDS=(clweave $words); [ "${words% }" = "$words" ] || COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _clweave
        echo "$words: ${COMPREPLY[*]}"
    done')
[ "$completed" = "run --set ro: rows=on rows=off
run --set rows = : on off
trace --set inj: inject=
trace --set ro: 
run --row: " ] || fail "completion of settings gives '$completed'"
# the list of packages: every line a set, a package and a reason (an apostrophe there ends the shell's string)
scripts/deps.sh list > "$T/packages" || fail "deps.sh list"
grep -vE '^(build|check|demo|fuzz|slow) +[a-z0-9.+-]+ +[A-Za-z].*' "$T/packages" && fail "a line of deps.sh is none"
if command -v man > /dev/null; then
    [ -z "$(clweave help --man | man --warnings -E UTF-8 -l - 2>&1 > /dev/null)" ] || fail "man complains"
fi
finish
