#!/usr/bin/env python3
"""dot_random.py CLWEAVE FOLDER [SEEDS [FIRST]] - random graphs in graphviz's language, read by clweave and by graphviz (gvpr).

Each graph has subgraphs that are opened again, defaults, lists of nodes, edges between subgraphs, keys, strict graphs, comments,
strings of every kind. Of both readings the tasks, their names and times, and the edges and their data must be equal."""
import collections
import json
import os
import random
import subprocess
import sys

PROGRAM = '''BEG_G { printf("strict %d\\n", 0); }
N { printf("node\\t%s\\t%s\\t%s\\t%s\\n", $.name, aget($, "cost"), aget($, "weight"), aget($, "size")); }
E { printf("edge\\t%s\\t%s\\t%s\\t%s\\t%s\\n", $.tail.name, $.head.name, aget($, "data"), aget($, "size"), aget($, "weight")); }'''
NODES = [['a', '"a"', '"" + "a"'], ['b'], ['"d e"'], ['7', '"7"'], ['-1.5'], ['.5'], ['Z_9', '"Z_9"'], ['"q\\"r"'], ['<h>', 'h'],
         ['"x" + "y"', 'xy', '<xy>'], ['"\\\\"'], ['"z\\\nz"', 'zz']]  # each node in all its spellings
COMMENTS = ['', '', '', ' ', '\n', '\t', '/* } */', '// {\n', ' # [\n', '\n#line\n', '\r\n']


class Writer:
    def __init__(self, rng):
        self.rng = rng
        self.strict = rng.random() < .4

    def node(self, span):
        return self.rng.choice(NODES[self.rng.randrange(*span)])

    def blank(self):
        return ' ' + self.rng.choice(COMMENTS)

    def attributes(self, edge, depth=0):
        """Keys in subgraphs of a strict graph are left out: graphviz 2.42 makes two edges of one there."""
        keys = ['data', 'size', 'weight', 'color'] + (['cost', 'shape'] if not edge else [] if self.strict and depth else ['key'])
        lists = []
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            items = []
            for key in self.rng.sample(keys, self.rng.randrange(3)):
                number = self.rng.randrange(1, 9)
                value = f'k{number % 2}' if key == 'key' else self.rng.choice([f'{number}', f'"{number}"', f'{number}.5', '""'])
                items.append(key + self.blank() + '=' + value)
            lists.append('[' + self.rng.choice([', ', '; ', ' ']).join(items) + ']')
        return ''.join(lists)

    def end(self, depth, span):
        """Its nodes are of NODES[span], so that edges go from lower to higher ones, mostly."""
        kind = self.rng.randrange(10)
        if kind < 6 or depth == 3:
            return self.node(span) + self.rng.choice(['', '', '', ':n', ':p:s'])
        if kind < 7:
            return self.node(span) + ', ' + self.node(span)
        name = self.rng.choice(['', '', 'subgraph ', f'subgraph s{span[0]}', f'subgraph "s{span[0]}"', f'SubGraph t{span[0]} '])
        return name + self.body(depth + 1, self.rng.randrange(3), span)

    def statement(self, depth, span):
        kind = self.rng.randrange(12)
        if kind < 2:
            return self.rng.choice(['node', 'Node']) + self.attributes(False)
        if kind < 3:
            return 'edge' + self.blank() + self.attributes(True, depth)
        if kind < 4:
            return self.rng.choice(['graph [color=red]', 'rankdir = LR', '"x y" = <z<br/>>'])
        ends = min(self.rng.choice([1, 1, 2, 2, 3]), span[1] - span[0])
        bounds = [span[0] + (span[1] - span[0]) * k // ends for k in range(ends + 1)]
        attributes = self.attributes(ends > 1, depth) if self.rng.random() < .5 else ''
        chain = [self.end(depth, (bounds[k], bounds[k + 1])) for k in range(ends)]
        return (self.blank() + '->').join(chain) + self.blank() + attributes

    def body(self, depth, statements, span):
        return '{' + self.blank() + (''.join(self.statement(depth, span) + self.rng.choice([';', ' ', '\n'])
                                             for _ in range(statements))) + '}'

    def graph(self):
        name = self.rng.choice(['', 'G', '"a graph"'])
        body = self.body(0, self.rng.randrange(1, 12), (0, len(NODES)))
        return ('strict ' if self.strict else '') + 'digraph ' + name + '{ node [cost=1]; ' + body[1:] + '\n'


def number(fields):
    return next((float(f) for f in fields if f), None)


def by_graphviz(path):
    """({name: cost}, {(name, name): data}) as gvpr prints them; None where it refuses the file."""
    run = subprocess.run(['gvpr', PROGRAM, path], capture_output=True, text=True)
    if 'syntax error' in run.stderr or 'strict' not in run.stdout:
        return None
    nodes, edges = {}, collections.defaultdict(float)
    for line in run.stdout.splitlines():
        fields = line.split('\t')
        if fields[0] == 'node':
            nodes[fields[1]] = number(fields[2:])
        elif fields[0] == 'edge':
            edges[fields[1], fields[2]] += number(fields[3:]) or 0
    return nodes, dict(edges)


def by_clweave(clweave, path, out):
    """The same as clweave reads them, or its message."""
    run = subprocess.run([clweave, 'graph', path, '-o', out], capture_output=True, text=True)
    if run.returncode:
        return run.stderr
    graph = json.load(open(out, encoding='utf-8'))
    names = [t['name'].replace('\\', '\\\\') for t in graph['tasks']]
    return ({n: t['cost'][0] for n, t in zip(names, graph['tasks'])},
            {(names[e['from']], names[e['to']]): e['data'] for e in graph['edges']})


def differs(theirs, ours):
    """What is wrong with our reading; None: nothing."""
    if theirs is None:
        return 'graphviz refuses it'
    nodes, edges = theirs
    if isinstance(ours, str):
        right = ('has no cost' in ours and None in nodes.values() or 'depends on itself' in ours and any(a == b for a, b in edges)
                 or 'cycle' in ours and bool(edges) or 'no tasks' in ours and not nodes)
        return None if right else ours
    return None if (nodes, edges) == ours else f'{nodes} {edges}\nfor graphviz, {ours[0]} {ours[1]}\nfor clweave'


def main():
    clweave, folder = sys.argv[1:3]
    seeds, first = (list(map(int, sys.argv[3:])) + [200, 0][len(sys.argv) - 3:])[:2]
    read = 0
    for seed in range(first, first + seeds):
        path = os.path.join(folder, 'random.dot')
        text = Writer(random.Random(seed)).graph()
        with open(path, 'w', encoding='utf-8', newline='') as f:
            f.write(text)
        ours = by_clweave(clweave, path, os.path.join(folder, 'random.json'))
        wrong = differs(by_graphviz(path), ours)
        if wrong:
            sys.exit(f'seed {seed}:\n{text}\n{wrong}')
        read += not isinstance(ours, str)
    print(f'{read} of {seeds} graphs are task graphs, and read as graphviz reads them')


main()
