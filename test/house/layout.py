#!/usr/bin/env python3
"""layout.py BUILD - holds the sources against the layout and the words that README names.

Reads the object files below BUILD/obj for calls, BUILD/clweave for its options, the sources for the rest, and prints one line for each
rule: its count, its limit, and, above the limit, its places. Exit 0: no count is above its limit; 1: one is.

`limits` holds the limits; a rule that it does not name has the limit 0. A change that lowers a count of places lowers its limit too: the
script says so and fails, so that a count never rises again unseen. Rates and totals may be below their limits. `VERBOSE=REGEX` prints
all places of the rules that match it."""
import os
import re
import subprocess
import sys

from calls import Tables, circles, direct, lines_of, read_objects, together
from csource import comments_of, functions_of, statements_of, structs_of, code_of, text_of, words_of

# Folders in the order in which they may call and include: each one those before it, and itself.
ORDER = ['sched', 'analyzer/io', 'analyzer/settings', 'analyzer/history', 'analyzer/kernels/source',
         'analyzer/kernels/rewrite', 'analyzer/kernels/rows', 'analyzer/kernels/footprint', 'analyzer/kernels/models',
         'analyzer/kernels/llvm', 'analyzer/record', 'analyzer/graph', 'analyzer/plan', 'analyzer/explain', 'analyzer/explain/draw',
         'analyzer/compile', 'analyzer/execute', 'analyzer/cli/frame', 'analyzer/farm', 'analyzer/farm/queue', 'analyzer/cli',
         'shim/door', 'shim/programs', 'shim/trace', 'shim/device', 'shim/builds',
         'shim/run/core', 'shim/run/staging', 'shim/run/code', 'shim/run/memory', 'shim/run/models', 'shim/run/tasks',
         'shim/run/planner', 'shim/run/tuning', 'shim/run/workers', 'shim/run/tiles', 'shim/run/groups',
         'shim/run/windows',
         'shim/run/streams', 'shim/run/api']
COLUMNS, LONG, LONGEST = 110, 40, 60
MOST_SHOWN = 100 # places of a rule
SUBJECTS = re.compile(r'\b(what|who|whoever|whatever|nobody|somebody)\b|\bof ours\b', re.I)
# sentences that name no actor, beside those subjects
ACTORLESS = re.compile(SUBJECTS.pattern + r'|\b(likewise|so many|as above|of its own|of their own|it is said|one of late)\b', re.I)
# words that the glossary has another one for: in names (parts between underscores), and those of them that plain English can do without
RENAMED = {'slot', 'lane', 'flight', 'memo', 'brief', 'aside', 'room', 'apart', 'kept', 'brain', 'prices', 'tainted', 'touch'}
RENAMED_IN_COMMENTS = re.compile(r'\b(slots?|lanes?|flights?|memos?|brief|aside|brain|tainted)\b', re.I)
# the records that everything passes through: the struct, and what the rule calls it
RECORDS = {'cw_run_task': 'a task', 'cw_run_state_all': 'the state of run mode', 'cw_run_worker': 'a worker'}


def sources_of(*patterns):
    """Files of the checkout that git does not ignore: also those that are not added yet, none that is deleted."""
    listed = lines_of(['git', 'ls-files', '--cached', '--others', '--exclude-standard', *patterns])
    return sorted({path for path in listed if os.path.exists(path)})


def folder_of(path):
    """The folder of ORDER that a source or object is in; None: one that has no place in it."""
    fits = [f for f in ORDER if path.startswith(f + '/')]
    return max(fits, key=len) if fits else None


def upward_calls(owner, needs):
    for source, symbols in sorted(needs.items()):
        here = ORDER.index(folder_of(source))
        for symbol in sorted(symbols):
            if not symbol.startswith(('cl', 'dl')) and symbol in owner and ORDER.index(folder_of(owner[symbol])) > here:
                yield f'{source} calls {symbol} of {owner[symbol]}'


def upward_includes(sources):
    for source in sources:
        if not folder_of(source):
            continue
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text_of(source), re.M):
            to = os.path.normpath(os.path.join(os.path.dirname(source), name))
            if folder_of(to) and ORDER.index(folder_of(to)) > ORDER.index(folder_of(source)):
                yield f'{source} includes {to}'


def files_behind(symbol, root):
    """The files of shim/run that a call of `symbol` can reach by direct calls (not through tables of functions)."""
    calls, where, key, source = {}, {}, None, None
    objects = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(root, 'shim/run')) for name in names
               if name.endswith('.o')]
    for line in lines_of(['objdump', '-dr', '--no-show-raw-insn', *objects]):
        if line.endswith('format elf64-x86-64'):
            source = os.path.relpath(line.split(':')[0], root)[:-2] + '.c'
        elif line.endswith('>:'):
            name = line.split('<')[1][:-2]
            key = name if name.startswith('cw_') else f'{source}:{name}'
            where[key] = source
        elif 'R_X86_64_' in line or 'call ' in line or 'jmp ' in line:
            to = re.search(r'R_X86_64_\w+\s+(cw_\w+)|\b(?:call|jmp)\s+[0-9a-f]+ <([\w.]+)', line)
            if to:
                name = to.group(1) or to.group(2)
                calls.setdefault(key, set()).add(name if name.startswith('cw_') else f'{source}:{name}')
    seen, todo = set(), [symbol]
    while todo:
        at = todo.pop()
        if at in where and at not in seen and os.path.exists(where[at]):
            seen.add(at)
            todo.extend(calls.get(at, ()))
    return sorted({where[s] for s in seen if where[s].startswith('shim/run/')})


def misnamed(owner):
    """External functions that are named neither after their file nor after the first words of its name."""
    for symbol, source in sorted(owner.items(), key=lambda x: (x[1], x[0])):
        word = os.path.basename(source)[:-2].split('_')[0]
        allowed = ('cw_' + word, 'cw_run_' + word, 'cw_hook_', 'cw_run_hook_', 'cw_device_hook_', 'cl', 'dl')
        if not symbol.startswith(allowed) and symbol != 'main':
            yield f'{source}: {symbol}'


def settings_outside():
    """CLWEAVE_ variables that the library or the tool reads and that the option table does not have."""
    table = text_of('analyzer/settings/options.inc')
    for source in sources_of('shim/*.c', 'shim/*.h', 'analyzer/*.c', 'analyzer/*.h'):
        for name in re.findall(r'"(CLWEAVE_[A-Z_]+)"', text_of(source)):
            if name not in table and f'"{name[8:].lower().replace("_", "-")}"' not in table:
                yield f'{source}: {name}'


def wide_cells():
    for page in sources_of('*.md'):
        for i, line in enumerate(text_of(page).splitlines(), 1):
            if line.startswith('|') and any(len(c.strip()) > 200 for c in line.strip().strip('|').split('|')):
                yield f'{page}:{i}'


def anchors_of(page):
    """The anchors of a page's headings, as GitHub makes them."""
    for heading in re.findall(r'^#+ +(.*)$', re.sub(r'^```.*?^```', '', text_of(page), flags=re.M | re.S), re.M):
        yield re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')


def broken_links():
    """Links of pages to a file or a heading that is not there."""
    for page in sources_of('*.md'):
        for link in re.findall(r'\]\(([^)\s]+)\)', text_of(page)):
            path, _, anchor = link.partition('#')
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not re.match(r'\w+:', link) and (not os.path.exists(target) or anchor and anchor not in anchors_of(target)):
                yield f'{page}: {link}'


def per_thousand_words(pattern, sources):
    text = ' '.join(comments_of(s) for s in sources)
    return round(1000 * len(pattern.findall(text)) / max(len(re.findall(r"[A-Za-z']+", text)), 1), 1)


def renamed_words(sources):
    """Uses of words that have been given up, in names and in comments."""
    for source in sources:
        for i, line in enumerate(code_of(source).split('\n'), 1):
            for name in re.findall(r'[A-Za-z_]\w*', line):
                if RENAMED & set(re.sub(r'(?<=[a-z])s(?=_|$)', '', name.lower()).split('_')):
                    yield f'{source}:{i} {name}'
        for word in RENAMED_IN_COMMENTS.findall(comments_of(source)):
            yield f'{source} comment: {word}'


def options_of(build, command):
    """The long options that the help of a command lists."""
    text = subprocess.run([os.path.join(build, 'clweave'), command, '--help'], capture_output=True, text=True, check=True).stdout
    return re.findall(r'^\s+(?:-\w, )?(--[a-z][\w-]*)', text, re.M)


def commands_of(build):
    text = subprocess.run([os.path.join(build, 'clweave'), '--help'], capture_output=True, text=True, check=True).stdout
    return re.findall(r'^  (\w+) {2,}\w', text, re.M)


LOOKED_UP = re.compile(r'(->|\.)(handle|key|memory|event)\)?\s*[!=]=\s*\(?(const void \*\)?\)?\s*)?(handle|key|memory|e|event)\b'
                       r'|, memory_order_\w+\) [!=]= handle')


def handle_tables(sources):
    """Files with a table or list of their own in which a record is found by the address or handle that it is of."""
    for source in sources:
        code = code_of(source)
        own = [m for m in re.findall(r'^static\b(?! const)[^(;{}]*;', code, re.M) if re.search(r'\*|\[|struct list', m) and 'pthread' not in m]
        if own and LOOKED_UP.search(code):
            yield f'{source}: {own[-1]}'


def thresholds():
    for i, line in enumerate(code_of('shim/run/core/thresholds.h').split('\n'), 1):
        if re.match(r'#define\s+\w+\s+\S', line):
            yield f'{i} {line.split()[1]}'


def records(sources):
    structs = {}
    for source in sources:
        structs.update({name: fields for name, fields in structs_of(source).items() if name in RECORDS})
    for name, label in RECORDS.items():
        fields = structs[name]
        yield f'fields of {label}', [f.name for f in fields]
        yield f'flags among them: {label}', [f.name for f in fields if f.is_bool]


def structure(build, sources):
    """Rules about who calls and includes which."""
    root = os.path.join(build, 'obj')
    owner, needs = read_objects(root, folder_of)
    plain = direct(owner, needs)
    through = together(plain, Tables([s for s in sources if folder_of(s)], owner).edges())
    yield 'upward calls', list(upward_calls(owner, needs))
    yield 'upward includes', list(upward_includes(sources))
    in_run = circles(plain, lambda s: s.startswith('shim/run/'))
    yield 'largest circle of files in shim/run', in_run[0] if in_run else []
    in_run = circles(through, lambda s: s.startswith('shim/run/'))
    yield 'largest circle of files in shim/run, tables followed', in_run[0] if in_run else []
    others = [c for f in ORDER if not f.startswith('shim/run/') for c in circles(through, lambda s: folder_of(s) == f)]
    yield 'largest circle within another folder, tables followed', max(others, key=len, default=[])
    yield 'files of shim/run that a finished command passes', files_behind('cw_run_task_retire', root)
    yield 'external functions that are not named after their file', list(misnamed(owner))


def lengths(everything, pages):
    functions = [(f'{s}:{line} {name}', n) for s in everything if s.endswith('.c') for name, line, n in functions_of(s)]
    over = [f for f, n in functions if n > LONG]
    yield f'functions above {LONGEST} lines', [f for f, n in functions if n > LONGEST]
    yield f'functions above {LONG} lines, per thousand', round(1000 * len(over) / len(functions), 1)
    yield f'lines above {COLUMNS} columns', [f'{s}:{i}' for s in everything + pages for i, l in enumerate(text_of(s).splitlines(), 1)
                                             if len(l.rstrip('\n')) > COLUMNS]


def sizes(build, sources):
    """Totals: counted in statements and words, so that joined lines gain nothing."""
    commands = commands_of(build)
    yield 'statements of the product', sum(statements_of(s) for s in sources)
    yield 'words of its headers', sum(words_of(s) for s in sources if s.endswith('.h'))
    yield 'files of the product', len(sources)
    yield 'lines of the product', sum(text_of(s).count('\n') for s in sources)
    yield 'long options, of all commands together', len({option for c in commands for option in options_of(build, c)})
    yield 'long options of run', len(options_of(build, 'run'))
    yield 'long options of replay', len(options_of(build, 'replay'))
    yield 'words of README.md', len(text_of('README.md').split())


def wording(sources):
    for root in 'shim/run', 'shim', 'analyzer', 'sched':
        inside = [s for s in sources if s.startswith(root + '/')]
        yield f'vague subjects in comments of {root}, per thousand words', per_thousand_words(SUBJECTS, inside)
        yield f'sentences without an actor in comments of {root}, per thousand words', per_thousand_words(ACTORLESS, inside)
    yield 'words given up, in names and comments', list(renamed_words(sources))


def measure(build):
    sources = sources_of('shim/*.[ch]', 'analyzer/*.[ch]', 'sched/*.[ch]')
    yield from structure(build, sources)
    yield from lengths(sources_of('*.c', '*.h'), sources_of('analyzer/*.js', 'analyzer/*.css', 'analyzer/*.html'))
    yield 'settings outside the option table', list(settings_outside())
    yield 'table cells above 200 characters', list(wide_cells())
    yield 'links of pages without a target', list(broken_links())
    yield from records(sources)
    yield 'tables from a handle or address to a record', list(handle_tables([s for s in sources if s.startswith('shim/')]))
    yield 'thresholds', list(thresholds())
    yield from wording(sources)
    yield from sizes(build, sources)


def main():
    limits = dict(line.rsplit(None, 1) for line in open('test/house/limits') if line.strip() and line[0] != '#')
    verbose = os.environ.get('VERBOSE')
    bad = 0
    for rule, places in measure(sys.argv[1]):
        count = len(places) if isinstance(places, list) else places
        limit = float(limits.get(rule, 0))
        print(f'{count:8g} of {limit:<8g} {rule}')
        if isinstance(places, list) and verbose and re.search(verbose, rule):
            print(''.join(f'           {p}\n' for p in places), end='')
        elif isinstance(places, list) and count > limit:
            print(''.join(f'           {p}\n' for p in places[:MOST_SHOWN]), end='')
            print(f'           ... VERBOSE="{rule}" prints all' if count > MOST_SHOWN else '', end='\n' * (count > MOST_SHOWN))
        if count > limit:
            bad = 1
        elif count < limit and isinstance(places, list):
            bad = 1
            print('           lower its limit in test/house/limits')
    return bad


if __name__ == '__main__':
    sys.exit(main())
