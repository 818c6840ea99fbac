"""rules.py - what a program does alone, several times, and whether another run does the same.

What differs between bare runs is the program's own: it is listed, and compared by the strictest rule that the bare
runs keep. For what was read: every line equal, thread by thread; the same lines in any order; the lines at the same
places, those that vary left out; nothing. For stdout: all bytes; the words at the same places; nothing.
"""
import dataclasses


def words(text):
    return [line.split() for line in text.split(b"\n")]


def shape(rows):
    return [len(row) for row in rows]


def unordered(lines):
    return sorted(line.split(" ", 1)[1] for line in lines)


def first_difference(a, b):
    """Of two lists, as text."""
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"at {i}: {x!r}, bare {y!r}"
    longer = a if len(a) > len(b) else b
    return f"{len(a)} entries, bare {len(b)}; the first that one lacks: {longer[min(len(a), len(b))]!r}"


@dataclasses.dataclass
class Rule:
    """`take` makes of a result what must equal `want`; `own` says what the program itself varies in, '' if nothing."""
    part: str
    take: object
    want: object
    own: str = ""


def stable(samples):
    """The places that hold the same in all samples (lists of one length)."""
    return [i for i, row in enumerate(zip(*samples)) if all(x == row[0] for x in row)]


def by_thread(lines):
    """Each thread's lines in their order; which thread is called first is a race."""
    threads = {}
    for line in lines:
        name, _, rest = line.partition(" ")
        threads.setdefault(name, []).append(rest)
    return sorted(threads.values())


def read_rule(bare):
    reads = [r.reads for r in bare]
    if all(by_thread(r) == by_thread(reads[0]) for r in reads):
        several = len(by_thread(reads[0])) > 1
        return Rule("reads", lambda r: by_thread(r.reads), by_thread(reads[0])) if several else \
            Rule("reads", lambda r: r.reads, reads[0])
    loose = [unordered(r) for r in reads]
    if all(r == loose[0] for r in loose):
        return Rule("reads", lambda r: unordered(r.reads), loose[0], "order of reads")
    if len({len(r) for r in reads}) == 1:
        keep = stable(reads)
        take = lambda r: [r.reads[i] if i < len(r.reads) else "" for i in keep] + [len(r.reads)]
        return Rule("reads", take, take(bare[0]), f"{len(reads[0]) - len(keep)} of {len(reads[0])} reads")
    return Rule("reads", lambda r: None, None, "number of reads")


def stdout_rule(bare):
    texts = [r.stdout for r in bare]
    if all(t == texts[0] for t in texts):
        return Rule("stdout", lambda r: r.stdout.split(b"\n"), texts[0].split(b"\n"))
    rows = [words(t) for t in texts]
    if any(shape(r) != shape(rows[0]) for r in rows):
        return Rule("stdout", lambda r: None, None, "length of stdout")
    flat = lambda text: [word for row in words(text) for word in row]
    keep = stable([flat(t) for t in texts])

    def take(result):
        every = flat(result.stdout)
        return [every[i] if i < len(every) else None for i in keep] + shape(words(result.stdout))
    return Rule("stdout", take, take(bare[0]), f"{len(flat(texts[0])) - len(keep)} words of stdout")


def file_rule(bare):
    names = set().union(*(r.files for r in bare))
    varying = {n for n in names if len({r.files.get(n) for r in bare}) > 1}
    take = lambda r: sorted((n, h) for n, h in r.files.items() if n not in varying)
    return Rule("files", take, take(bare[0]), "files " + " ".join(sorted(varying)) if varying else "")


def status_rule(bare):
    statuses = {r.status for r in bare}
    if len(statuses) == 1:
        return Rule("status", lambda r: r.status, bare[0].status)
    return Rule("status", lambda r: r.status in statuses, True, "exit status " + " or ".join(sorted(statuses)))


def left_rule(bare):
    most = max(r.left for r in bare)
    return Rule("processes left", lambda r: max(r.left, most), most, f"leaves {most} processes" if most else "")


def learn(bare, parts):
    """The rules that the bare results keep, for the parts that are compared."""
    rules = {"status": status_rule, "stdout": stdout_rule, "files": file_rule, "reads": read_rule}
    return [rules[part](bare) for part in parts] + [left_rule(bare)]


def verdict(result, rules):
    """'same', 'hang', 'crash' or 'different', and why."""
    for rule in rules:
        got = rule.take(result)
        if got == rule.want:
            continue
        if result.status == "hang":
            return "hang", "ran out of time"
        if result.status.startswith("signal"):
            return "crash", result.status
        listed = isinstance(got, list) and isinstance(rule.want, list)
        both = first_difference(got, rule.want) if listed else f"{got!r:.200}, bare {rule.want!r:.200}"
        return "different", f"{rule.part}: {both}"
    return "same", ""
