"""calls.py - which file calls which: by the symbols of object files, and through tables of functions as the sources fill and use them.

A call through a pointer, `x->field(...)`, reaches each function that some initialiser or assignment puts into a field of that name, of a
struct that the calling file can see (its header is included, directly or not). A pointer that is handed over as an argument (a
callback) is not followed."""
import collections
import os
import re
import subprocess
import sys

from csource import body_from, code_of, text_of, function_types_of, functions_of, split_top, structs_of


def lines_of(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def read_objects(root, wanted):
    """({symbol: its source}, {source: symbols that it needs}) of the objects below root whose source is `wanted`."""
    owner, needs, sources = {}, collections.defaultdict(set), {}
    for folder, _, names in os.walk(root):
        for name in names:
            source = os.path.relpath(os.path.join(folder, name), root)[:-2] + '.c'
            if name.endswith('.o') and wanted(source) and os.path.exists(source):
                sources[os.path.join(folder, name)] = source
    for line in lines_of(['nm', '-A', *sources]):
        kind, symbol = line.split()[-2:]
        source = sources[line.split(':')[0]]
        if kind == 'T':
            owner[symbol] = source
        elif kind == 'U':
            needs[source].add(symbol)
    return owner, needs


def direct(owner, needs):
    """{source: the sources that it calls, or whose functions it names}"""
    return {s: {owner[n] for n in ns if n in owner and owner[n] != s} for s, ns in needs.items()}


class Tables:
    """What fields of structs hold which functions, and who calls through them."""

    def __init__(self, files, owner):
        self.files, self.owner = files, owner
        types = set().union(*(function_types_of(f) for f in files))
        self.structs = {}  # name -> fields in their order
        self.home = {}     # name -> the file that defines it
        for f in files:
            for name, fields in structs_of(f, types).items():
                if any(field.is_function for field in fields):
                    self.structs[name], self.home[name] = fields, f
        self.holds = collections.defaultdict(set)  # (struct, field) -> files whose functions it holds
        for f in files:
            self._read(f)

    def _function(self, file, name):
        """The file that has the function, or None."""
        if name in self.owner:
            return self.owner[name]
        return file if name in self.local else None

    def _read(self, file):
        if not file.endswith('.c'):
            return
        code, self.local = code_of(file), {name for name, _, _ in functions_of(file)}
        for m in re.finditer(r'\bstruct\s+(\w+)\b[^;={}()]*=\s*\{', code):
            if m.group(1) in self.structs:
                self._initialiser(file, m.group(1), body_from(code, m.end() - 1)[0])
        fields = collections.defaultdict(set)
        for struct, members in self.structs.items():
            for member in members:
                if member.is_function:
                    fields[member.name].add(struct)
        for field, value in re.findall(r'(?:->|\.)(\w+)\s*=\s*&?(\w+)\s*[;,}]', code):
            target = self._function(file, value)
            for struct in fields.get(field, ()) if target else ():
                self.holds[struct, field].add(target)

    def _initialiser(self, file, struct, body):
        members = [m.name for m in self.structs[struct]]
        at = 0
        for part in split_top(body, ','):
            part = part.strip()
            named = re.match(r'\.(\w+)\s*=\s*(.*)', part, re.S)
            if named:
                at = members.index(named.group(1)) if named.group(1) in members else at
                part = named.group(2)
            elif part.startswith('{'):  # an element of an array of such structs
                self._initialiser(file, struct, body_from(part, 0)[0])
                continue
            target = self._function(file, part.strip().lstrip('&'))
            if target and at < len(members):
                self.holds[struct, members[at]].add(target)
            at += 1

    def _seen_from(self, file, cache):
        """The file, and all that it includes, directly or not."""
        if file not in cache:
            cache[file] = {file}
            for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text_of(file), re.M):
                to = os.path.normpath(os.path.join(os.path.dirname(file), name))
                if os.path.exists(to):
                    cache[file] |= self._seen_from(to, cache)
        return cache[file]

    def edges(self):
        """{source: sources that it calls through tables}; what a header calls counts for each source that includes it"""
        used, cache = {}, {}
        for f in self.files:
            used[f] = set(re.findall(r'(?:->|\.)(\w+)\s*\(', code_of(f)))
        result = collections.defaultdict(set)
        for f in self.files:
            if not f.endswith('.c'):
                continue
            seen = self._seen_from(f, cache)
            called = set().union(*(used.get(s, set()) for s in seen))
            for (struct, field), targets in self.holds.items():
                if field in called and self.home[struct] in seen:
                    result[f] |= targets - {f}
        return result


def together(*graphs):
    result = collections.defaultdict(set)
    for graph in graphs:
        for source, targets in graph.items():
            result[source] |= targets
    return result


def circles(edges, within):
    """The sets of files for which `within` holds that call each other, directly or not (Tarjan); the largest first."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in edges.get(v, ()):
            if not within(w):
                continue
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for v in sorted(edges):
        if within(v) and v not in number:
            visit(v)
    return sorted(found, key=len, reverse=True)
