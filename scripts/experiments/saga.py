#!/usr/bin/env python3
"""saga.py FOLDER [TASKS...] - clweave beside SAGA ("Scheduling Algorithms Gathered", github.com/ANRGUSC/saga, a Python
library) on the same graphs in the same run: time to plan, and whether the same algorithm gives the same makespan.

FOLDER holds SAGA's repository (not part of clweave); its heft, cpop, peft and sufferage are used, which need numpy, networkx
and pydantic 2 (or anything in PYTHONPATH that stands for it). TASKS: sizes of the graphs (default 30 100 300 1000). Per size 10
graphs (3 above 300 tasks): generator topcuoglu, CCR 1, seeds 0 and up, on 4 devices of speeds 1, 1.3, 1.7, 2.3.

What is timed, in processor time: SAGA's schedule(), and clweave's policy as `compare --times` reports it, not reading files.
SAGA counts the link of a device to itself, which takes no time, among those whose mean is in HEFT's ranks; the paper does not.
So it gets a network without these here, and ranks are the same. Its sufferage does not look for gaps, nor does ours here.

Margins: makespans of HEFT and sufferage equal to 1 part in 10^9 on every graph. PEFT's are where no ranks tie: tasks with the
same successor on their longest optimistic path do, and SAGA takes the later task first, clweave the one of lower id. CPOP's are
not: SAGA's downward rank adds a task's own cost where the paper (and clweave) adds its predecessor's. Exit 0: within them."""
import csv
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
import types

SPEEDS = (1.0, 1.3, 1.7, 2.3)
PAIRS = (('heft', 'heft', 'HeftScheduler'), ('peft', 'peft', 'PEFTScheduler'),
         ('sufferage:insertion=off', 'sufferage', 'SufferageScheduler'), ('cpop', 'cpop', 'CpopScheduler'))


def load_saga(folder):
    """Only the parts that are needed: saga.schedulers itself imports everything, solvers and all."""
    sys.path.insert(0, os.path.join(folder, 'src'))
    import saga
    package = types.ModuleType('saga.schedulers')
    package.__path__ = [os.path.join(folder, 'src', 'saga', 'schedulers')]
    sys.modules['saga.schedulers'] = package
    scheduler = {}
    for name, module, cls in PAIRS:
        scheduler[name] = getattr(__import__('saga.schedulers.' + module, fromlist=[cls]), cls)
    return saga, scheduler


def without_loops(saga, network):
    """The network without links of devices to themselves, which are asked for all the same."""
    class Network(saga.Network):
        def get_edge(self, source, target):
            source, target = getattr(source, 'name', source), getattr(target, 'name', target)
            if source == target:
                return saga.NetworkEdge(source=source, target=target, speed=float('inf'))
            return super().get_edge(source, target)
    return Network(nodes=network.nodes, edges=frozenset(e for e in network.edges if e.source != e.target))


def make_graphs(clweave, folder, tasks, count):
    """Graph files of the library with costs c / speed."""
    subprocess.run([clweave, 'generate', 'topcuoglu', '--tasks', str(tasks), '--devices', str(len(SPEEDS)), '--heterogeneity', '0',
                    '--out-degree', '3', '--ccr', '1', '--count', str(count), '-o', os.path.join(folder, f'{tasks}.json')],
                   check=True, stdout=subprocess.DEVNULL)
    paths = []
    for k in range(count):
        path = os.path.join(folder, f'{tasks}-{k}.json')
        with open(path) as f:
            graph = json.load(f)
        for task in graph['tasks']:
            task['cost'] = [task['cost'][0] / speed for speed in SPEEDS]
        with open(path, 'w') as f:
            json.dump(graph, f)
        paths.append(path)
    return paths


def saga_instance(saga, path):
    with open(path) as f:
        graph = json.load(f)
    name = [f't{i:07d}' for i in range(len(graph['tasks']))]
    tasks = [(name[i], task['cost'][0] * SPEEDS[0]) for i, task in enumerate(graph['tasks'])]
    edges = [(name[e['from']], name[e['to']], e['data']) for e in graph['edges']]
    nodes = [(f'p{p}', speed) for p, speed in enumerate(SPEEDS)]
    links = [(f'p{a}', f'p{b}', 1.0) for a in range(len(SPEEDS)) for b in range(a)]
    network = saga.Network.create(nodes=nodes, edges=links)
    return without_loops(saga, network), saga.TaskGraph.create(tasks=tasks, dependencies=edges)


def run_clweave(clweave, paths, scratch):
    out = os.path.join(scratch, 'results.csv')
    args = [x for name, _, _ in PAIRS for x in ('-p', name)]
    subprocess.run([clweave, 'compare', *args, '--lp', 'off', '--times', '--csv', out, *paths], check=True, stdout=subprocess.DEVNULL)
    with open(out) as f:
        return {(row['graph'], row['policy']): (float(row['makespan']), float(row['seconds'])) for row in csv.DictReader(f)}


def compare_size(saga, scheduler, clweave, tasks, scratch):
    """Prints a line per algorithm. Returns how many makespans differ where they must not."""
    paths = make_graphs(clweave, scratch, tasks, 10 if tasks <= 300 else 3)
    ours = run_clweave(clweave, paths, scratch)
    differ = 0
    for name, _, _ in PAIRS:
        seconds, mine, same, ratio = 0.0, 0.0, 0, 0.0
        for path in paths:
            network, graph = saga_instance(saga, path)
            began = time.process_time()
            makespan = scheduler[name]().schedule(network, graph).makespan
            seconds += time.process_time() - began
            mine += ours[path, name][1]
            ratio += makespan / ours[path, name][0] / len(paths)
            same += abs(makespan / ours[path, name][0] - 1) < 1e-9
        differ += (len(paths) - same) * (name not in ('cpop', 'peft'))
        n = len(paths)
        print(f'{tasks:6d}  {name.split(":")[0]:10s} {1e3 * seconds / n:12.3f} {1e3 * mine / n:12.4f} {seconds / mine:10.0f} x'
              f' {tasks * n / mine:12.0f} {same:4d} of {n:<3d} {ratio:10.4f}', flush=True)
    return differ


def main():
    if len(sys.argv) < 2 or not os.path.isdir(os.path.join(sys.argv[1], 'src', 'saga')):
        print("usage: saga.py FOLDER-with-saga [TASKS...]", file=sys.stderr)
        return 2
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    clweave = os.path.join(os.path.abspath(os.environ.get('B', os.path.join(root, 'build'))), 'clweave')
    logging.disable(logging.WARNING) # of several entries and exits, graph by graph
    saga, scheduler = load_saga(os.path.abspath(sys.argv[1]))
    sizes = [int(x) for x in sys.argv[2:]] or [30, 100, 300, 1000]
    print(f'{"tasks":>6s}  {"algorithm":10s} {"SAGA ms":>12s} {"clweave ms":>12s} {"":12s} {"tasks/s":>12s} {"same":>11s}'
          f' {"SAGA/ours":>10s}   (makespans)')
    with tempfile.TemporaryDirectory(prefix='clweave-saga.') as scratch:
        differ = sum(compare_size(saga, scheduler, clweave, tasks, scratch) for tasks in sizes)
    print(f'\nNOT within the margins: {differ} makespans differ' if differ else
          '\nwithin the margins: HEFT and sufferage give the same makespan on every graph')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
