#!/usr/bin/env python3
"""farm_plans.py CLWEAVE FOLDER PLANS TASKS [FIRST] - kills, stops and starves farms at random, by seeds FIRST (1) onwards.

Each plan is a farm of TASKS tasks, of which some fail, in a tree of one to three levels. For a while its workers, regional
masters and global master are killed and stopped, and its checkpoint finds no room. When no process of it is left, and
there is no table, `clweave farm resume` goes on. At the end the table must be that of a quiet farm, the checkpoint must
hold one result of each task, and no process may be left. STOP=SECONDS: in each plan one process is stopped for so long
besides, by turns a worker, a regional master and the global master. Prints a line per failure, and figures; exit 0: all held."""
import collections
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import time

EVENTS, PATIENCE, STOP = 40, 0.15, float(os.environ.get('STOP', 0))
LIMIT = 120 + STOP
ROLES = {'farm-worker': 5, 'farm-region': 3, 'clweave': 2}


class Wrong(Exception):
    pass


def processes(sessions):
    """{pid: name} of the living processes of the sessions."""
    found = {}
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            text = open(f'/proc/{pid}/stat').read()
        except OSError:
            continue
        name, rest = text[text.index('(') + 1:text.rindex(')')], text[text.rindex(')') + 2:].split()
        if int(rest[3]) in sessions and rest[0] not in 'ZX':
            found[int(pid)] = name
    return found


def send(pid, number):
    """False: the process is gone."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def results_of(checkpoint):
    """{task: results in the file}"""
    data, at, count = open(checkpoint, 'rb').read(), 0, collections.Counter()
    while at + 32 <= len(data):
        kind, n = struct.unpack_from('<4xIQ', data, at)
        p, end = at + 32, at + 32 + n
        while kind == 2 and p < end:
            task, out, errors = struct.unpack_from('<I8xII', data, p)
            count[task] += 1
            p += 32 + out + errors
        at = end
    return count


def remove(table):
    for name in (table, table + '.farm'):
        if os.path.exists(name):
            os.unlink(name)


def has_plan(checkpoint):
    """Whether the farm lived long enough to write its plan; the file is gone if not."""
    if not os.path.exists(checkpoint):
        return False
    data = open(checkpoint, 'rb').read(1 << 24)
    if len(data) >= 32 and len(data) >= 32 + struct.unpack_from('<8xQ', data)[0]:
        return True
    os.unlink(checkpoint)
    return False


class Farm:
    def __init__(self, tool, folder, command, r, log, counts):
        self.tool, self.folder, self.r, self.log, self.counts = tool, folder, r, log, counts
        self.table, self.sessions, self.stopped, self.spared = f'{folder}/plan.csv', set(), [], 0
        remove(self.table)
        self.options = ['--workers', str(r.randint(2, 6)), '--levels', str(r.choice([1, 2, 2, 3])), '--patience', str(PATIENCE),
                        '--tries', '250']
        self.begin = self.options + ['--each', f'{folder}/list', '-o', self.table, '--'] + command
        self.start(self.begin)

    def start(self, words):
        self.process = subprocess.Popen([self.tool, 'farm'] + words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.log, start_new_session=True)
        self.sessions.add(self.process.pid)

    def go_on(self, alive):
        """Let go of those that were stopped long enough; where all processes are gone, resume. False: it is done."""
        for until, pid in self.stopped[:]:
            if until < time.monotonic():
                self.stopped.remove((until, pid))
                if pid in alive:
                    send(pid, signal.SIGCONT)
        if alive:
            return True
        self.process.wait()
        if os.path.exists(self.table):
            return False
        self.counts['resumed'] += 1
        if has_plan(self.table + '.farm'):
            self.start(self.options + ['resume', self.table + '.farm'])
        else:
            self.start(self.begin)
        return True

    def disturb(self, alive):
        role = self.r.choices(list(ROLES), list(ROLES.values()))[0]
        pids = sorted(pid for pid, name in alive.items() if name == role and pid != self.spared)
        if not pids:
            return
        pid, kind = self.r.choice(pids), self.r.random()
        if role == 'clweave' and kind < .3:
            self.counts['disk full'] += self.fill_disk(pid)
        elif kind < .7:
            self.counts[role + ' killed'] += send(pid, signal.SIGKILL)
        else:
            self.counts[role + ' stopped'] += send(pid, signal.SIGSTOP)
            self.stopped.append((time.monotonic() + self.r.uniform(0, 2 if role == 'clweave' else 4) * PATIENCE, pid))

    def stop_long(self, alive, seed):
        """False: there is no such process."""
        role = list(ROLES)[seed % len(ROLES)]
        pids = sorted(pid for pid, name in alive.items() if name == role)
        if not pids or not send(pids[0], signal.SIGSTOP):
            return False
        self.spared = pids[0]
        self.stopped.append((time.monotonic() + STOP, pids[0]))
        self.counts[f'{role} stopped for {STOP:g} s'] += 1
        return True

    def fill_disk(self, pid):
        """The file cannot grow by more than some bytes from now on. False: there is none, or no process."""
        try:
            room = os.path.getsize(self.table + '.farm') + self.r.randint(0, 3000)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            return True
        except OSError:
            return False

    def run(self, seed):
        begin, after, events, long = time.monotonic(), 0, 0, STOP > 0
        while self.go_on(alive := processes(self.sessions)):
            now = time.monotonic()
            if now - begin > LIMIT:
                raise Wrong(f'not done in {LIMIT} s: {alive}')
            if events < EVENTS and now > after:
                events, after = events + 1, now + self.r.uniform(.005, .06)
                if long and events > 5:
                    long = not self.stop_long(alive, seed)
                self.disturb(alive)
            time.sleep(.005)

    def end(self):
        for pid in processes(self.sessions):
            send(pid, signal.SIGKILL)


def check(farm, quiet, tasks):
    if open(farm.table).read() != quiet:
        raise Wrong('the table is not that of a quiet farm')
    count = results_of(farm.table + '.farm')
    if len(count) != tasks or set(count.values()) != {1}:
        raise Wrong(f'results in the checkpoint: {len(count)} tasks, {count.most_common(3)}')


def main():
    tool, folder, plans, tasks = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    command = ['clweave', 'dispatch', '--workers', '9', '--tasks', '2000', '--worker-mtbf', '300', '--seed', '{}']
    counts, failed, begin = collections.Counter(), 0, time.monotonic()
    with open(f'{folder}/list', 'w') as f:  # each hundredth task fails: then the checkpoint stays
        f.writelines(f'{t if t % 100 else "x"}\n' for t in range(1, tasks + 1))
    remove(f'{folder}/quiet.csv')
    subprocess.run([tool, 'farm', '--each', f'{folder}/list', '-o', f'{folder}/quiet.csv', '--'] + command,
                   stderr=subprocess.DEVNULL, check=False)
    quiet = open(f'{folder}/quiet.csv').read()
    for seed in range(first, first + plans):
        with open(f'{folder}/log', 'w') as log:
            farm = Farm(tool, folder, command, random.Random(seed), log, counts)
            try:
                farm.run(seed)
                check(farm, quiet, tasks)
            except Wrong as error:
                failed += 1
                print(f'FAILED: plan {seed} ({" ".join(farm.options)}): {error}')
                print(''.join(open(f'{folder}/log').readlines()[-10:]), flush=True)
            farm.end()
        took_over = open(f'{folder}/log').read()
        counts['regional masters replaced'] += took_over.count('has taken its place')
        counts['global master replaced'] += took_over.count('goes on: ')
    print(f'{plans} plans of {tasks} tasks in {time.monotonic() - begin:.0f} s: ' +
          ', '.join(f'{n} {what}' for what, n in sorted(counts.items())))
    sys.exit(failed > 0)


main()
