import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { SERVICE } from "../../kit/messages.js";

const require = createRequire(import.meta.url);
const generated = (file: string) => readFileSync(require.resolve(`@pulumi/pulumi/proto/${file}`), "utf8");

const METHOD =
  /path: '\/pulumirpc\.ResourceProvider\/(\w+)'[^}]*?requestType: [\w]+\.(\w+),\s*responseType: [\w]+\.(\w+),/g;
const MESSAGE = /proto\.pulumirpc\.([\w.]+)\.deserializeBinaryFromReader = function\(msg, reader\) \{([\s\S]*?)\n\};/g;

/** Field numbers of each message, as Pulumi's own reader knows them. */
const fields = new Map(
  ["provider_pb.js", "plugin_pb.js"].flatMap(file =>
    [...generated(file).matchAll(MESSAGE)].map(([, name = "", body = ""]) => {
      const numbers = [...body.matchAll(/case (\d+):/g)].map(([, number]) => Number(number));
      return [name, numbers] as const;
    }),
  ),
);
const methods = [...generated("provider_grpc_pb.js").matchAll(METHOD)].map(
  ([, name = "", request = "", answer = ""]) => ({
    name,
    request,
    answer,
  }),
);

/** Answered with an error whatever they ask. */
const REFUSED = ["Parameterize", "Construct", "Call"];

/** Fields of answers: what the plugin writes, and what it has nothing to say in. */
const ANSWERS: Record<string, { written: number[]; leftOut: Record<string, number> }> = {
  ProviderHandshakeResponse: {
    written: [1, 4],
    leftOut: {
      acceptResources: 2,
      acceptOutputs: 3,
      acceptsByteString: 6,
      acceptsOutputsInInvoke: 7,
      acceptsOutputsInCall: 8,
      acceptsOutputsInCheck: 9,
    },
  },
  GetSchemaResponse: { written: [1], leftOut: {} },
  CheckResponse: { written: [1, 2], leftOut: {} },
  CheckFailure: { written: [1, 2], leftOut: {} },
  DiffResponse: { written: [1, 3, 4, 5, 6, 7], leftOut: { stables: 2 } },
  PropertyDiff: { written: [1, 2], leftOut: {} },
  ConfigureResponse: { written: [1, 2, 5], leftOut: { acceptResources: 3, acceptOutputs: 4 } },
  CreateResponse: { written: [1, 2], leftOut: { refreshBeforeUpdate: 3 } },
  ReadResponse: { written: [1, 2, 3], leftOut: { refreshBeforeUpdate: 4 } },
  UpdateResponse: { written: [1], leftOut: { refreshBeforeUpdate: 2 } },
  InvokeResponse: { written: [1, 2], leftOut: {} },
  ListResponse: { written: [1, 2, 3], leftOut: {} },
  "ListResponse.Result": { written: [1, 2], leftOut: {} },
  "ListResponse.Continuation": { written: [1], leftOut: {} },
  ErrorResourceInitFailed: { written: [1, 2, 3, 4], leftOut: { refreshBeforeUpdate: 5 } },
  PluginInfo: { written: [1], leftOut: {} },
  GetMappingResponse: { written: [], leftOut: { provider: 1, data: 2 } },
  GetMappingsResponse: { written: [], leftOut: { providers: 1 } },
};

describe("Pulumi's protocol, as the installed SDK has it", () => {
  it("has no method that isn't answered", () => {
    const answered = Object.values(SERVICE).map(({ path }) => path.split("/").at(-1));
    expect(methods.map(({ name }) => name).sort()).toEqual(answered.sort());
  });

  it.each(methods.filter(({ name }) => !REFUSED.includes(name)))(
    "has no field of a request that is neither read nor named as unread: $name",
    ({ name, request }) => {
      const method = Object.values(SERVICE).find(({ path }) => path.endsWith(`/${name}`));
      const known = method?.read.fields ?? new Set<number>();
      expect([...known].sort((a, b) => a - b)).toEqual([...(fields.get(request) ?? [])].sort((a, b) => a - b));
    },
  );

  it.each(Object.entries(ANSWERS))("has no field of %s that is neither written nor left out", (name, answer) => {
    const known = [...answer.written, ...Object.values(answer.leftOut)];
    expect(known.sort((a, b) => a - b)).toEqual([...(fields.get(name) ?? [])].sort((a, b) => a - b));
  });

  it("names every answer", () => {
    const answers = methods.filter(({ name }) => !REFUSED.includes(name)).map(({ answer }) => answer);
    expect(answers.filter(name => name !== "Empty" && ANSWERS[name] === undefined)).toEqual([]);
  });
});
