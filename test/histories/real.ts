import { Asset } from "../../kit/values.js";
import { openScene } from "../support/engine/scene.js";
import type { Outcome } from "../support/engine/stack.js";
import { Ref } from "../support/simulated-engine.js";
import { goalOf, type Program, TYPES } from "./program.js";
import { foldersIn, slotsIn } from "./slots.js";
import type { At, Engine, Went } from "./world.js";

/** The real engine, with a program in YAML and the plugin. */
export async function real(): Promise<Engine> {
  const scene = await openScene({ yaml: { resources: {} } });
  const { stack } = scene;

  async function command({ stack: name, journal }: At, args: readonly string[]): Promise<Outcome> {
    stack.choose(name);
    return stack.attempt(args, { DOCSIGN_STATE_DIR: `${stack.journal}-${journal.replaceAll(" ", "-")}` });
  }

  function inState(name: string) {
    stack.choose(name);
    const entries = Object.entries(stack.entries());
    return entries.map(([each, { type, id = "", outputs = {} }]) => ({ type, name: each, id, outputs }));
  }

  const went = ({ code, text, steps }: Outcome, failed: "preview" | "up"): Went => {
    const isWell = code === 0;
    const calls = { calls: failed === "up" ? steps : [], previewCalls: failed === "preview" ? steps : [] };
    return { ...calls, error: isWell ? undefined : text, failed: isWell ? undefined : failed };
  };

  return {
    service: scene.service,
    async up(at, program, { skipPreview, forced, meanwhile }) {
      stack.choose(at.stack);
      stack.declare({ resources: resourcesOf(program, (name, type) => stack.urn(name, type), forced) });
      const targets = program.filter(({ name }) => name === forced);
      const replace = targets.flatMap(({ name, kind }) => ["--replace", stack.urn(name, TYPES[kind])]);
      const preview = skipPreview ? undefined : went(await command(at, ["preview", ...replace]), "preview");
      if (preview?.error !== undefined) return preview;
      if (preview) meanwhile();
      return went(await command(at, ["up", "--yes", "--skip-preview", ...replace]), "up");
    },
    refresh: async at => went(await command(at, ["refresh", "--yes", "--skip-preview"]), "up"),
    destroy: async at => went(await command(at, ["destroy", "--yes", "--skip-preview"]), "up"),
    held: name => slotsIn(inState(name)),
    heldFolders: name => foldersIn(inState(name)),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

function resourcesOf(
  program: Program,
  urnOf: (name: string, type: string) => string,
  forced: string | undefined,
): Record<string, object> {
  return Object.fromEntries(
    program.map(declared => {
      const { name, alias, inputs, deleteBeforeReplace } = goalOf(declared, "documents", declared.name === forced);
      const type = TYPES[declared.kind];
      const aliases = alias === undefined ? undefined : [urnOf(alias, type)];
      return [name, { type, properties: inYaml(inputs), options: { aliases, deleteBeforeReplace } }];
    }),
  );
}

function inYaml(value: unknown): unknown {
  if (value instanceof Asset) return { "fn::stringAsset": value.text };
  if (value instanceof Ref) return `\${${value.name}.${value.output}}`;
  if (Array.isArray(value)) return value.map(inYaml);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inYaml(each)]));
}
