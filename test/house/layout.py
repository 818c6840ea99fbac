#!/usr/bin/env python3
"""layout.py BUILD - holds the sources against the layout and the words that README names.

Reads the object files below BUILD/obj for calls, the sources for the rest, and prints one line for each rule: what it
counts, the count, the limit, and, above the limit, every place. Exit 0: no count is above its limit; 1: one is.

`limits` holds the limits; a rule that it does not name has the limit 0. A change that lowers a count lowers its limit too:
the script says so and fails, so that a count never rises again unseen. Rates have fixed limits."""
import collections
import os
import re
import subprocess
import sys

# Folders in the order in which they may call and include: each one those before it, and itself.
ORDER = ['sched', 'analyzer/io', 'analyzer/settings', 'analyzer/history', 'analyzer/source', 'analyzer/rewrite', 'analyzer/rows',
         'analyzer/footprint', 'analyzer/models', 'analyzer/trace', 'analyzer/graph', 'analyzer/plan', 'analyzer/draw',
         'analyzer/compile', 'analyzer/llvm', 'analyzer/execute', 'analyzer/farm', 'analyzer/queue',
         'analyzer/cli', 'shim/door', 'shim/programs', 'shim/trace', 'shim/device',
         'shim/run/core', 'shim/run/staging', 'shim/builds', 'shim/run/memory', 'shim/run/models', 'shim/run/tasks',
         'shim/run/workers', 'shim/run/planner', 'shim/run/tuning', 'shim/run/tiles', 'shim/run/groups',
         'shim/run/streams', 'shim/run/api']
COLUMNS, LONG, LONGEST = 110, 40, 60
SUBJECTS = re.compile(r'\b(what|who|whoever|whatever|nobody|somebody)\b|\bof ours\b', re.I)


def lines_of(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def sources_of(*patterns):
    """Files of the checkout that git does not ignore: also those that are not added yet, none that is deleted."""
    listed = lines_of(['git', 'ls-files', '--cached', '--others', '--exclude-standard', *patterns])
    return sorted({path for path in listed if os.path.exists(path)})


def folder_of(path):
    """The folder of ORDER that a source or object is in; None: one that has no place in it."""
    fits = [f for f in ORDER if path.startswith(f + '/')]
    return max(fits, key=len) if fits else None


def read_objects(root):
    """({symbol: its source}, {source: symbols that it needs}) of all objects of the folders in ORDER."""
    owner, needs, sources = {}, collections.defaultdict(set), {}
    for folder, _, names in os.walk(root):
        for name in names:
            source = os.path.relpath(os.path.join(folder, name), root)[:-2] + '.c'
            if name.endswith('.o') and folder_of(source) and os.path.exists(source):
                sources[os.path.join(folder, name)] = source
    for line in lines_of(['nm', '-A', *sources]):
        kind, symbol = line.split()[-2:]
        source = sources[line.split(':')[0]]
        if kind == 'T':
            owner[symbol] = source
        elif kind == 'U':
            needs[source].add(symbol)
    return owner, needs


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
        for line in open(source, encoding="utf-8"):
            m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            to = m and os.path.normpath(os.path.join(os.path.dirname(source), m.group(1)))
            if to and folder_of(to) and ORDER.index(folder_of(to)) > ORDER.index(folder_of(source)):
                yield f'{source} includes {to}'


def largest_circle(owner, needs, root):
    """The largest set of files below `root` that all call each other, directly or not (Tarjan)."""
    edges = {s: {owner[n] for n in ns if n in owner and owner[n] != s and owner[n].startswith(root)}
             for s, ns in needs.items() if s.startswith(root)}
    number, low, stack, circles = {}, {}, [], [[]]

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in edges.get(v, ()):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            at = stack.index(v)
            circles.append(stack[at:])
            del stack[at:]

    sys.setrecursionlimit(10000)
    for v in list(edges):
        if v not in number:
            visit(v)
    return sorted(max(circles, key=len))


def files_behind(symbol, root):
    """The files of shim/run that a call of `symbol` can reach by direct calls (not through tables of functions)."""
    calls, where, key, source = collections.defaultdict(set), {}, None, None
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
                calls[key].add(name if name.startswith('cw_') else f'{source}:{name}')
    seen, todo = set(), [symbol]
    while todo:
        at = todo.pop()
        if at in where and at not in seen and os.path.exists(where[at]):
            seen.add(at)
            todo.extend(calls[at])
    return sorted({where[s] for s in seen if where[s].startswith('shim/run/')})


def functions_of(source):
    """(name, first line, lines) of each function: its brace stands in the first column, as the formatter puts it."""
    text = open(source, encoding="utf-8").read().splitlines()
    start = None
    for i, line in enumerate(text):
        if line == '{':
            start = i
        elif line == '}' and start is not None:
            first = start - 1
            while first > 0 and text[first - 1].strip() and not text[first - 1].startswith(('}', '#', '/*', ' *', '//')):
                first -= 1
            name = re.search(r'(\w+)\(', ' '.join(text[first:start]))
            yield (name.group(1) if name else '?'), first + 1, i - first + 1
            start = None


def misnamed(owner):
    """External functions that are named neither after their file nor after the first words of its name."""
    for symbol, source in sorted(owner.items(), key=lambda x: (x[1], x[0])):
        stem = os.path.basename(source)[:-2]
        word = stem.split('_')[0]
        allowed = ('cw_' + word, 'cw_run_' + word, 'cw_hook_', 'cw_run_hook_', 'cw_device_hook_', 'cl', 'dl')
        if not symbol.startswith(allowed) and symbol != 'main':
            yield f'{source}: {symbol}'


def comments_of(source):
    return ' '.join(re.findall(r'/\*.*?\*/|//[^\n]*', open(source, encoding="utf-8").read(), re.S))


def settings_outside():
    """CLWEAVE_ variables that the library or the tool reads and that the option table does not have."""
    table = open('analyzer/settings/options.inc').read()
    for source in sources_of('shim/*.c', 'shim/*.h', 'analyzer/*.c', 'analyzer/*.h'):
        for name in re.findall(r'"(CLWEAVE_[A-Z_]+)"', open(source, encoding="utf-8").read()):
            if name not in table and f'"{name[8:].lower().replace("_", "-")}"' not in table:
                yield f'{source}: {name}'


def wide_cells():
    for page in sources_of('*.md'):
        for i, line in enumerate(open(page, encoding="utf-8"), 1):
            if line.startswith('|') and any(len(c.strip()) > 200 for c in line.strip().strip('|').split('|')):
                yield f'{page}:{i}'


def subjects_per_thousand(sources):
    words = found = 0
    for source in sources:
        text = comments_of(source)
        words += len(re.findall(r"[A-Za-z']+", text))
        found += len(SUBJECTS.findall(text))
    return round(1000 * found / max(words, 1), 1)


def measure(build):
    owner, needs = read_objects(os.path.join(build, 'obj'))
    sources = sources_of('shim/*.[ch]', 'analyzer/*.[ch]', 'sched/*.[ch]')
    everything = sources_of('*.c', '*.h')
    pages = sources_of('analyzer/*.js', 'analyzer/*.css', 'analyzer/*.html')
    functions = [(f'{s}:{line} {name}', n) for s in everything if s.endswith('.c') for name, line, n in functions_of(s)]
    circle = largest_circle(owner, needs, 'shim/run/')
    over = [f for f, n in functions if n > LONG]
    yield 'upward calls', list(upward_calls(owner, needs))
    yield 'upward includes', list(upward_includes(sources))
    yield 'largest circle of files in shim/run', circle
    yield 'files of shim/run that a finished command passes', files_behind('cw_run_task_retire', os.path.join(build, 'obj'))
    yield f'functions above {LONGEST} lines', [f for f, n in functions if n > LONGEST]
    yield f'functions above {LONG} lines, per thousand', round(1000 * len(over) / len(functions), 1)
    yield f'lines above {COLUMNS} columns', [f'{s}:{i}' for s in everything + pages for i, l in enumerate(open(s, encoding="utf-8"), 1)
                                             if len(l.rstrip('\n')) > COLUMNS]
    yield 'external functions that are not named after their file', list(misnamed(owner))
    yield 'settings outside the option table', list(settings_outside())
    yield 'table cells above 200 characters', list(wide_cells())
    for root in 'shim/run', 'shim', 'analyzer', 'sched':
        yield f'vague subjects in comments of {root}, per thousand words', subjects_per_thousand(
            [s for s in sources if s.startswith(root + '/')])


def main():
    limits = dict(line.rsplit(None, 1) for line in open('test/house/limits') if line.strip() and line[0] != '#')
    bad = 0
    for rule, places in measure(sys.argv[1]):
        count = places if isinstance(places, float) else len(places)
        limit = float(limits.get(rule, 0))
        print(f'{count:8g} of {limit:<6g} {rule}')
        if count > limit:
            bad = 1
            print(''.join(f'           {p}\n' for p in (places if isinstance(places, list) else [])), end='')
        elif count < limit and isinstance(places, list):
            bad = 1
            print(f'           lower its limit in test/house/limits')
    return bad


sys.exit(main())
