"""manifest.py - the list of programs of a suite.

A folder stands for its files *.list, by name. One program a line; blank lines and lines that start with # are skipped; words as in a shell:

    NAME [KEY=VALUE...] -- PROGRAM [ARGUMENT...]

NAME     unique; may hold slashes
dir=     folder, relative to the manifest's, that each run gets a fresh copy of and starts in (default: an empty one)
limit=   seconds after which a run counts as hung (default 120)
mask=    regular expression of what may differ in stdout and files, e.g. times; may be repeated
sorted=  stdout: its lines may come in any order (PoCL's work-groups print when their thread is done)
compare= what must be equal: status, stdout, files, reads (default all), separated by commas
skip=    glob of files that are not compared; may be repeated
env=     NAME=VALUE for the program's environment; may be repeated
without= regular expression of configurations that the program is not for, e.g. /dsp= when it builds for every device
         that it sees, also those outside its context; may be repeated
counts=  devices: what it does depends on how many there are; with dsp=N it is compared with itself on a PoCL of as many
allows=  what `chaos` must do with it: managed, reordered, moved, or none (default: what its traced graph allows)

@HERE@ in PROGRAM and ARGUMENT is the manifest's folder; a PROGRAM with a slash and no @HERE@ is in the run's folder.
"""
import dataclasses
import glob
import os
import re
import shlex

PARTS = ("status", "stdout", "files", "reads")
KINDS = ("managed", "reordered", "moved")


class ManifestError(Exception):
    """A line that cannot be read; the text says which and why."""


@dataclasses.dataclass
class Program:
    name: str
    command: list
    folder: str = None  # absolute, or None
    limit: float = 120
    masks: list = dataclasses.field(default_factory=list)
    compare: tuple = PARTS
    skip: list = dataclasses.field(default_factory=list)
    env: dict = dataclasses.field(default_factory=dict)
    sorted: bool = False
    counts_devices: bool = False
    without: list = dataclasses.field(default_factory=list)
    allows: tuple = None  # None: look at the graph


def some_of(text, known):
    words = [w for w in text.split(",") if w and w != "none"]
    for word in words:
        if word not in known:
            raise ValueError(f"'{word}' is none of {', '.join(known)}")
    return tuple(words)


def set_key(program, here, key, value):
    if key == "dir":
        program.folder = os.path.join(here, value)
        if not os.path.isdir(program.folder):
            raise ValueError(f"no folder {program.folder}")
    elif key == "limit":
        program.limit = float(value)
    elif key == "mask":
        program.masks.append(re.compile(value.encode()))
    elif key == "compare":
        program.compare = some_of(value, PARTS)
    elif key == "sorted":
        program.sorted = bool(some_of(value, ("stdout",)))
    elif key == "counts":
        program.counts_devices = bool(some_of(value, ("devices",)))
    elif key == "without":
        program.without.append(re.compile(value))
    elif key == "skip":
        program.skip.append(value)
    elif key == "env":
        name, _, setting = value.partition("=")
        program.env[name] = setting
    elif key == "allows":
        program.allows = some_of(value, KINDS)
    else:
        raise ValueError(f"unknown key '{key}'")


def parse_line(line, here):
    words = shlex.split(line)
    if "--" not in words or words.index("--") in (0, len(words) - 1):
        raise ValueError("expected: NAME [KEY=VALUE...] -- PROGRAM [ARGUMENT...]")
    at = words.index("--")
    program = Program(words[0], [w.replace("@HERE@", here) for w in words[at + 1:]])
    for word in words[1:at]:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"'{word}' is not KEY=VALUE")
        set_key(program, here, key, value)
    return program


def read(path):
    """The programs of a manifest, or of all of a folder's, in order. Raises ManifestError, OSError."""
    paths = sorted(glob.glob(os.path.join(path, "*.list"))) if os.path.isdir(path) else [path]
    programs, names = [], set()
    for one in paths:
        read_one(one, programs, names)
    if not programs:
        raise ManifestError(f"{path}: no programs")
    return programs


def read_one(path, programs, names):
    """Appends the programs of one manifest to `programs`; `names` holds the names that are taken."""
    here = os.path.dirname(os.path.abspath(path))
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            try:
                program = parse_line(line, here)
                if program.name in names:
                    raise ValueError(f"'{program.name}' is there twice")
            except (ValueError, re.error) as why:
                raise ManifestError(f"{path}:{number}: {why}") from None
            names.add(program.name)
            programs.append(program)
