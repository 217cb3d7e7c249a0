#!/usr/bin/env python3
"""Writes src/generated/*.rs and tests/facts.txt from a table of the header's facts.

    generate.py LAYOUT.json

The table has the names, numbers and layouts of cudadebugger.h 13.0.163 as a C compiler and its debug information give
them. Words of documentation are not taken from it; they are below.
"""
import json, os, re, sys

d = json.load(open(sys.argv[1]))
here = os.path.dirname(os.path.abspath(__file__))
gen = os.path.join(here, "src", "generated")
os.makedirs(gen, exist_ok=True)
HEAD = "// Written by generate.py.\n\n"

def write(name, text):
    with open(os.path.join(here, name), "w") as f:
        f.write(text)

# --- What the safe wrappers say, slot by slot.
DOCS = dict(line.split("|", 1) for line in open(os.path.join(here, "slots.txt")).read().splitlines() if "|" in line)

SCALARS = {"uint32_t": "u32", "uint64_t": "u64", "uintptr_t": "usize", "bool": "bool", "char": "c_char", "void": "c_void", "int": "i32"}
ENUMS = list(d["enums"])
def rust(t):
    t = t.strip()
    m = re.match(r"(.*?)\s*\[(\d+)\]$", t)
    if m:
        return f"[{rust(m[1])}; {m[2]}]"
    const = t.startswith("const ")
    base = t[6:] if const else t
    if base.endswith("*"):
        inner = base[:-1].strip()
        return ("*const " if const else "*mut ") + rust(inner)
    base = base.replace("struct ", "").replace("union ", "")
    if base.startswith("CUDBGNotifyNewEventCallback"):
        return f"Option<{base}>"
    return SCALARS.get(base, base)

# --- Enums and constants.
facts = []
out = HEAD + "//! Enums as numbers with names, so that a value from a newer driver is no undefined behaviour.\n\n"
out += "numbers! {\n"
for name, e in d["enums"].items():
    out += f"    /// `{name}`.\n    {name} {{\n"
    out += "".join(f"        {k} = {v & 0xffffffff},\n" for k, v in e["constants"].items())
    out += "    }\n"
    facts.append(f"enum {name} " + " ".join(f"{k}={v & 0xffffffff}" for k, v in e["constants"].items()))
out += "}\n"
write("src/generated/enums.rs", out)

out = HEAD + "//! Numbers and names of exported symbols.\n\n"
for k, v in d["defines"].items():
    if not k.startswith("CUDBG"):
        continue
    if v.isdigit():
        out += f"/// Number of the header.\npub const {k}: u32 = {v};\n"
    else:
        out += f"/// Symbol that libcuda exports.\npub const {k}: &str = \"{v}\";\n"
write("src/generated/constants.rs", out)

# --- Structs.
out = HEAD + "//! Structs and unions, packed where the header packs them.\n\nuse super::enums::*;\nuse std::ffi::{c_char, c_void};\n\nlayouts! {\n"
def field(n):
    return "r#type" if n == "type" else n
def emit(name, s, packed):
    global out
    for f in s["fields"]:
        if "layout" in f:
            emit(f["ctype"].split()[-1], f["layout"], packed)
    out += f"    #[repr(C{', packed' if packed else ''})]\n    {s['kind']} {name} {{\n"
    out += "".join(f"        {field(f['name'])}: {rust(f['ctype'])},\n" for f in s["fields"]) + "    }\n"
    # The union's own alignment in the debug information does not know of the pragma.
    facts.append(f"{s['kind']} {name} {s['size']} {1 if packed else s['align']} " + " ".join(f"{f['name']}:{f['offset']}:{f['size']}" for f in s["fields"]))
for name, s in d["structs"].items():
    emit(name, s, s["packed"])
out += "}\n"
write("src/generated/structs.rs", out)

# --- Slots.
COUNTS = {"registers": "registers_size", "predicates": "predicates_size", "memoryInfo": "memoryInfo_size", "warpStates": "numWarpStates",
          "logMessages": "numMessages", "coords": "dim", "resultBuffer": "sizeInBytes", "buffer": "length", "elfImage": "size"}
def count(fn, arg, names, base):
    if arg == "addrs":
        return "numAddrs"
    if arg == "info" and "numEntries" in names:
        return "numEntries"
    if arg == "pairs":
        return "numPairs"
    if arg == "mask" and "numWords" in names:
        return "numWords"
    if arg in ("buf",):
        return next(n for n in ("sz", "bufSz") if n in names)
    c = COUNTS.get(arg)
    return c if c in names else None
def params(v):
    if v["params"] == "void":
        return []
    res, raw = [], [p.strip() for p in v["params"].split(",")]
    split = [re.match(r"(.*?)\s*(\w+)$", p).groups() for p in raw]
    names = [n for _, n in split]
    for t, n in split:
        t = re.sub(r"\s*\*", " *", t).strip()
        r = rust(t)
        if r.startswith("Option<"):
            kind = ("callback", None)
        elif "**" in t or " * *" in t:
            kind = ("pointer", None)
        elif n in ("data", "userData"):
            kind = ("callback", None)
        elif "*" in t:
            base = t.replace("const ", "").replace("*", "").strip()
            c = count(v["name"], n, names, base)
            if n in ("filename", "command", "symName", "reg"):
                kind = ("text", None)
            elif n == "pairs":
                kind = ("both", c)
            elif t.startswith("const ") or n == "coords" or v["name"] == "acknowledgeEvent30":
                kind = ("input", c or "1")
            else:
                kind = ("output", c or "1")
        else:
            kind = ("value", None)
        res.append(("kind" if n == "type" else n, t, r, kind))
    return res

def snake(n):
    n = n.replace("SMs", "Sms")
    s = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", n)
    s = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", s)
    return s.lower()

table = HEAD + """//! Every slot of the API's table, as a macro that hands the rows to another one.

/// Calls a macro with all 148 slots, in order: `{ index name age (argument: type = kind, …) }`. The age is `current` or
/// `old`; kinds are `value`, `output(n)`, `input(n)`, `both(n)` (arrays of `n` items), `text` (a C string), `callback` and
/// `pointer` (to memory of the library).
#[macro_export]
macro_rules! for_each_slot {
    ($callback:ident) => {
        $crate::$callback! {
"""
table = table.replace("$crate::$callback!", "$callback!")
for v in d["vtable"]:
    age = "old" if v["superseded_by"] else "current"
    args = ", ".join(f"{n}: {r} = {k[0]}" + (f"({k[1]})" if k[1] else "") for n, t, r, k in params(v))
    table += f"            {{ {v['index']} {v['name']} {age} ({args}) }}\n"
    facts.append(f"slot {v['name']} {v['index']} {v['offset']}")
table += "        }\n    };\n}\n"
write("src/generated/slots.rs", table)
facts.append(f"struct CUDBGAPI_st {d['vtable_size']} 8")
write("tests/facts.txt", "\n".join(facts) + "\n")

# --- Safe wrappers of the current slots.
parts = {}
missing = []
for v in d["vtable"]:
    if v["superseded_by"]:
        continue
    ps = params(v)
    if any(k[0] in ("callback", "pointer") for *_, k in ps):
        continue  # by hand, in api.rs
    if v["name"] not in DOCS:
        missing.append(v["name"])
    counts = {}
    for n, t, r, k in ps:
        if k[0] in ("output", "input", "both") and k[1] != "1":
            counts[k[1]] = n
    sig, rets, pre, call = [], [], "", []
    text = None
    for n, t, r, k in ps:
        name = snake(n)
        if k[0] == "value":
            if n in counts:
                of = counts[n]
                call.append(f"count({snake(of)}.len())?" if text != of else f"{snake(of)}.len() as {r}")
                if r == "u64":
                    call[-1] = f"{snake(of)}.len() as u64"
            else:
                sig.append(f"{name}: {r}")
                call.append(name)
        elif k[0] == "text":
            sig.append(f"{name}: &CStr")
            call.append(f"{name}.as_ptr()" + (".cast_mut()" if r.startswith("*mut") else ""))
        else:
            item = r.split(" ", 1)[1]
            if k[1] == "1" and k[0] == "output":
                pre += f"        let mut {name}: {item} = zeroed();\n"
                rets.append((name, item))
                call.append(f"&mut {name}")
            elif item == "c_char":
                text = n
                pre += f"        let mut {name} = [0u8; TEXT];\n"
                rets.append((f"text(&{name})", "String"))
                call.append(f"{name}.as_mut_ptr().cast()")
            else:
                item = "u8" if item == "c_void" else item
                mut = k[0] != "input"
                sig.append(f"{name}: &{'mut ' if mut else ''}[{item}]")
                call.append(f"{name}.as_{'mut_' if mut else ''}ptr()" + (".cast_mut()" if not mut and r.startswith("*mut") else "") + ".cast()")
    # The length of a text is told by its end.
    if any(t == "String" for _, t in rets):
        rets = [r for r in rets if r[0] != "msg_sz"]
    ret = "()" if not rets else rets[0][1] if len(rets) == 1 else "(" + ", ".join(t for _, t in rets) + ")"
    val = "()" if not rets else rets[0][0] if len(rets) == 1 else "(" + ", ".join(n for n, _ in rets) + ")"
    body = f"    /// {DOCS.get(v['name'], '')}\n    pub fn {snake(v['name'])}(&self{''.join(', ' + s for s in sig)}) -> Result<{ret}> {{\n{pre}"
    body += f"        // SAFETY: pointers and lengths are of the same slices, which live through the call.\n        check(unsafe {{ self.slot(self.table().{v['name']})?({', '.join(call)}) }})?;\n        Ok({val})\n    }}\n"
    group = {"EXEC": "control", "BP": "control", "INIT": "control", "READ": "read", "WRITE": "write"}.get(v["group"], "query")
    if v["name"].startswith("write"):
        group = "write"
    parts.setdefault(group, []).append(body)
if missing:
    sys.exit("no words for: " + " ".join(missing))
WHAT = {"control": "Starting and ending, running and stopping, breakpoints.", "read": "Reading the state of a suspended device.",
        "write": "Changing the state of a suspended device.", "query": "Devices, grids, events and what else can be asked."}
for group, bodies in parts.items():
    text = "".join(bodies)
    uses = ["check", "zeroed"] if "zeroed()" in text else ["check"]
    if "count(" in text: uses.append("count")
    if "TEXT" in text: uses += ["TEXT", "text"]
    out = HEAD + f"//! {WHAT[group]}\n\nuse crate::api::{{{', '.join(sorted(uses))}}};\nuse crate::{{Api, Result}};\n#[allow(unused_imports)]\nuse crate::*;\n#[allow(unused_imports)]\nuse std::ffi::CStr;\n\nimpl Api {{\n" + text + "}\n"
    write(f"src/generated/{group}.rs", out)
write("src/generated/mod.rs", HEAD + "//! What follows from the table of the header's facts.\n\npub(crate) mod constants;\nmod control;\npub(crate) mod enums;\nmod query;\nmod read;\nmod slots;\npub(crate) mod structs;\nmod write;\n")
os.system(f"rustfmt --edition 2024 {gen}/*.rs")
