"""Runs programs one after the other against the generated SDK, with Pulumi's own mocks: run_snippets.py <file.json>.

Prints a JSON list of problems. What a resource or function is given is held against the package's schema, because the SDK
passes on keys of nested dicts that it doesn't know.
"""

import json
import sys
import traceback

import pulumi

with open(sys.argv[1], encoding="utf-8") as file:
    work = json.load(file)
schema, programs = work["schema"], work["programs"]
problems = []
running = ""


def wrong_in(where, properties, given):
    for name, value in given.items():
        spec = properties.get(name)
        if spec is None:
            problems.append(f"{running}: {where}.{name} isn't there")
            continue
        inner = spec.get("items", spec)
        ref = inner.get("$ref", "").replace("#/types/", "")
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and "properties" in schema["types"].get(ref, {}):
                wrong_in(f"{where}.{name}", schema["types"][ref]["properties"], each)


def objects_in(properties):
    """Outputs that programs may look into."""
    refs = {name: spec.get("$ref", "").replace("#/types/", "") for name, spec in properties.items()}
    return {name: {} for name, ref in refs.items() if "properties" in schema["types"].get(ref, {})}


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        spec = schema["resources"].get(args.typ)
        if spec:
            wrong_in(args.name, spec["inputProperties"], args.inputs)
        return [f"{args.name}-id", {**objects_in(spec["properties"] if spec else {}), **args.inputs}]

    def call(self, args):
        spec = schema["functions"].get(args.token)
        if spec:
            wrong_in(args.token, spec["inputs"].get("properties", {}), args.args)
        return {}


pulumi.runtime.set_mocks(Mocks(), project="snippets", stack="dev", preview=False)


def run(where, text):
    @pulumi.runtime.test
    def program():
        exec(compile(text, where, "exec"), {"__name__": "__main__"})

    program()


for program in programs:
    running = program["where"]
    try:
        run(running, program["text"])
    except BaseException:
        problems.append(f"{running}: {traceback.format_exc(limit=-1)}")

print(json.dumps(problems))
