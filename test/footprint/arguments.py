"""arguments.py - the arguments of a launch in a table, as clweave-footprint and as the runner want them."""
import struct


def arg_json(text):
    """One entry of "args" as an argument of a launch description."""
    kind, *rest = text.split()
    if kind == "local":
        return {"local": int(rest[0])}
    if kind == "bytes":
        return {"bytes": rest[0]}
    if kind in ("int", "uint", "long", "short", "real", "double") and len(rest) == 1:
        return {"bytes": value_bytes(kind, rest[0]).hex()}
    if kind == "image":
        return {"buffer": 4 * int(rest[0]) * int(rest[1])}
    return {"buffer": int(rest[0])}


def arguments(launch):
    """The arguments as a launch description has them; two that name one buffer ("same K") share an allocation."""
    args = []
    for text in launch["args"]:
        if text.startswith("same "):
            k = int(text.split()[1])
            args[k] = dict(args[k], allocation=k + 1, base=0)
            args.append(args[k])
        else:
            args.append(arg_json(text))
    return args


def value_bytes(kind, value):
    code = {"int": "<i", "uint": "<I", "long": "<q", "short": "<h", "real": "<f", "double": "<d"}[kind]
    return struct.pack(code, float(value) if kind in ("real", "double") else int(value))


def arg_job(text):
    kind, *rest = text.split()
    if kind in ("local", "same"):
        return f"arg {kind} {rest[0]}"
    if kind == "bytes":
        return f"arg value {rest[0]}"
    if kind == "image":  # width, height: of four bytes a pixel
        return f"arg image {4 * int(rest[0]) * int(rest[1])} {rest[0]} {rest[1]}"
    if kind in ("int", "uint", "long", "short", "real", "double") and len(rest) == 1:
        return f"arg value {value_bytes(kind, rest[0]).hex()}"
    lo, hi = (rest[1:] + ["0", "1"])[:2] if len(rest) > 1 else ("0", "1")
    return f"arg buffer {rest[0]} {kind} {lo} {hi}"


def root_of(launch, arg):
    """The argument whose buffer this is: a trace knows buffers, not by which argument they were reached."""
    text = launch["args"][arg]
    return int(text.split()[1]) if text.startswith("same ") else arg
