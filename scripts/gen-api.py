#!/usr/bin/env python3
"""gen-api.py CL.XML [HEADERS] - writes shim/door/api.inc and shim/door/libclweave.map from the OpenCL registry.

CL.XML is xml/cl.xml of the Khronos OpenCL-Docs repository; HEADERS the folder of the C headers that clweave is built
against (default /usr/include/CL). Only facts are taken: names, types, parameter order, versions. A function whose
prototype the headers lack is left out (and listed on stderr), because the table is typed by them; so are the functions
of experimental extensions, but for those of STABLE.

The result is committed; run this again only when the registry or the headers have grown.
"""
import os
import re
import sys
import xml.etree.ElementTree as ET

HEADERS = ["cl.h", "cl_ext.h", "cl_gl.h", "cl_egl.h"]
CORE = ["1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0"]

HEADER = """\
/* api.inc - one row per OpenCL entry point. Written by scripts/gen-api.py from the registry; do not edit.
 *
 * CW_API(ret, name, since, fail, handle, (params), (args))   what OpenCL loaders export and put in layer tables
 * CW_EXT(ret, name, since, fail, handle, (params), (args))   what a vendor returns by clGetExtensionFunctionAddress*
 *   since   the loader's symbol version, OPENCL_<since> without the dot: 10 .. 30 (0 for CW_EXT)
 *   fail    how the function reports failure: CODE returns a cl_int; ERRCODE returns NULL and stores *errcode_ret;
 *           NULLPTR returns NULL; NOTHING returns void
 *   handle  1 when the first parameter (or the device or properties list) says which vendor is meant, 0 when the call
 *           has no object of a vendor
 * A file that includes this defines the macros it wants; both are undefined at the end. */
/* clang-format off */
#ifndef CW_API
#define CW_API(ret, name, since, fail, handle, params, args)
#endif
#ifndef CW_EXT
#define CW_EXT(ret, name, since, fail, handle, params, args)
#endif
"""

FOOTER = """\
#undef CW_API
#undef CW_EXT
/* clang-format on */
"""

# calls that name no object of a vendor: nothing routes them to one
NO_HANDLE = {"clGetPlatformIDs", "clUnloadCompiler", "clGetExtensionFunctionAddress", "clIcdGetPlatformIDsKHR"}

# of experimental extensions: what enqueues must not pass unseen, and these are the same in every published revision
STABLE = {"clCreateCommandBufferKHR", "clEnqueueCommandBufferKHR"}

# their suffix says when they went out of use, not when they came
SINCE = {"clCreateFromGLTexture2D": "10", "clCreateFromGLTexture3D": "10"}


def squeeze(text):
    """One blank between words, none around * and ( )."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s*\*\s*", " *", text)
    text = re.sub(r"\* (?=[*\w])", "*", text)
    text = re.sub(r"\(\s+", "(", text)
    return re.sub(r"\( \*", "(*", text.replace("(CL_CALLBACK *", "(CL_CALLBACK *"))


class Command:
    def __init__(self, node):
        proto = node.find("proto")
        self.name = proto.find("name").text
        self.ret = squeeze("".join(proto.itertext()).replace(self.name, ""))
        self.params, self.args = [], []
        for p in node.findall("param"):
            text = squeeze("".join(p.itertext()))
            if text == "void":
                continue
            self.params.append(text)
            self.args.append(p.find("name").text)
        m = re.search(r"VERSION_(\d)_(\d)", node.get("suffix", "") or "")
        self.since = SINCE.get(self.name) or (m.group(1) + m.group(2) if m else "10")

    def fail(self):
        if self.ret == "cl_int":
            return "CODE"
        if self.ret == "void":
            return "NOTHING"
        if self.args and self.args[-1] == "errcode_ret":
            return "ERRCODE"
        return "NULLPTR"

    def row(self, macro):
        since = self.since if macro == "CW_API" else "0"
        handle = 0 if self.name in NO_HANDLE else 1
        return "%s(%s, %s, %s, %s, %d, (%s), (%s))\n" % (
            macro, self.ret, self.name, since, self.fail(), handle,
            ", ".join(self.params) or "void", ", ".join(self.args))


def declared(folder):
    """Names with a prototype in the headers, and the names of the loaders' dispatch table."""
    names = set()
    for h in HEADERS:
        text = open(os.path.join(folder, h), encoding="utf-8").read()
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"typedef[^;]*;", " ", text)
        names |= set(re.findall(r"\b(cl[A-Z]\w*)\s*\(", text))
    icd = open(os.path.join(folder, "cl_icd.h"), encoding="utf-8").read()
    table = re.search(r"typedef struct _cl_icd_dispatch \{(.*?)\} cl_icd_dispatch;", icd, re.S).group(1)
    return names, set(re.findall(r"\b(cl[A-Z]\w*);", table))


def write_map(path, api):
    nodes, previous = [], ""
    for version in CORE:
        key = version.replace(".", "")
        names = sorted(c.name for c in api if c.since == key)
        if version == "1.0":
            names += ["clGetLayerInfo", "clInitLayer", "clInitLayerWithProperties", "clDeinitLayer"]
        body = "".join("        %s;\n" % n for n in names)
        local = "    local:\n        *;\n" if version == "1.0" else ""
        nodes.append("OPENCL_%s {\n    global:\n%s%s}%s;\n" % (version, body, local, previous))
        previous = " OPENCL_" + version
    with open(path, "w", encoding="utf-8") as f:
        f.write("/* libclweave.map - the symbol versions of OpenCL loaders, so that references to them bind to us.\n"
                " * Written by scripts/gen-api.py; do not edit. */\n" + "".join(nodes))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = sys.argv[2] if len(sys.argv) == 3 else "/usr/include/CL"
    shim = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shim", "door")
    root = ET.parse(sys.argv[1]).getroot()
    commands = {}
    for node in root.find("commands").findall("command"):
        if node.find("proto") is not None:
            c = Command(node)
            commands[c.name] = c
    names, exported = declared(folder)
    api, seen, missing = [], set(), []
    for feature in root.findall("feature"):
        if feature.get("number") not in CORE:
            continue
        for node in feature.iter("command"):
            c = commands[node.get("name")]
            if c.name in seen:
                continue
            seen.add(c.name)
            c.since = feature.get("number").replace(".", "")
            api.append(c)
    ext = []
    for extension in root.find("extensions").findall("extension"):
        for node in extension.iter("command"):
            c = commands.get(node.get("name"))
            if c is None or c.name in seen:
                continue
            if extension.get("experimental") and c.name not in STABLE:
                continue  # signatures still change: a wrapper for one revision would break programs of another
            seen.add(c.name)
            if c.name in names:
                (api if c.name in exported else ext).append(c)
            else:
                missing.append(c.name)
    api = [c for c in api if c.name in exported and c.name in names]
    with open(os.path.join(shim, "api.inc"), "w", encoding="utf-8") as f:
        f.write(HEADER)
        f.writelines(c.row("CW_API") for c in api)
        f.writelines(c.row("CW_EXT") for c in sorted(ext, key=lambda c: c.name))
        f.write(FOOTER)
    write_map(os.path.join(shim, "libclweave.map"), api)
    print("%d loader functions, %d extension functions; not in the headers: %s"
          % (len(api), len(ext), " ".join(missing)), file=sys.stderr)


main()
