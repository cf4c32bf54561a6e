import { CallError } from "../connection.js";
import { expect, type ProviderLaw, type ResourceLaw } from "../law.js";
import { Empty, METHODS, type Message, rpc } from "../messages.js";
import { toStruct, type Value } from "../values.js";
import { newer } from "../wire.js";
import { alive, died, refused } from "./steps.js";

/** Calls that a plugin without state may be asked at any moment; List streams, and Construct builds components. */
const SINGLE = METHODS.filter(name => !["list", "construct", "attach", "handshake", "cancel"].includes(name));

export const messageLaws: readonly ProviderLaw[] = [
  {
    name: "unknown-token-is-refused",
    level: "must",
    claim: "A resource or function that the schema doesn't have is refused with an error that names it.",
    breaks: "A program for a newer version seems to work, and manages nothing.",
    async run(trial) {
      const connection = await trial.connect();
      const token = `${trial.spec.name}:index:ThereIsNoSuchThing`;
      const urn = trial.urn(token);
      for (const [what, call] of [
        ["Check", () => connection.check(urn, new Map())],
        ["Create", () => connection.create(urn, new Map())],
        ["Invoke", () => connection.invoke(token, new Map())],
      ] as const) {
        const error = await refused(call());
        expect(error !== undefined, `expected ${what} of ${token} to be refused, got an answer`);
        // A provider without functions, say, knows no such call.
        if (error.code === "UNIMPLEMENTED") continue;
        expect(error.text.includes("ThereIsNoSuchThing"), `expected an error that names ${token}, got: ${error.text}`);
      }
    },
  },
  {
    name: "empty-messages-are-answered",
    level: "should",
    claim: "A call without any field is answered, if with an error, and the process lives on.",
    breaks: "One odd call ends the plugin, and with it every resource of the deployment.",
    async run(trial) {
      const { connection, process } = await trial.launch();
      for (const method of SINGLE) {
        const answer = await connection.raw(method, Buffer.alloc(0)).catch((error: unknown) => error);
        expect(!died(answer), `expected an answer to an empty ${method}, got ${(answer as Error).message}`);
      }
      await alive(connection, process.errors);
    },
  },
  {
    name: "garbage-is-answered",
    level: "must",
    claim: "A call whose bytes are no message is answered with an error, and the process lives on.",
    breaks: "What goes wrong on the way ends the plugin instead of one call.",
    async run(trial) {
      const { connection, process } = await trial.launch();
      for (const method of ["check", "create", "configure"]) {
        const error = await refused(connection.raw(method, Buffer.from("ffffffffffffffffffff01", "hex")));
        expect(
          error !== undefined && error.code !== "UNAVAILABLE",
          `expected an error for ${method}, got ${error?.message ?? "an answer"}`,
        );
      }
      await alive(connection, process.errors);
    },
  },
  {
    name: "unknown-fields-are-ignored",
    level: "must",
    claim: "A field that the provider doesn't know changes nothing at its start.",
    breaks: "The provider can't be started by the next engine, which sends more than today's.",
    async run(trial) {
      const answers = async (form: (message: Uint8Array) => Buffer): Promise<string[]> => {
        const { connection, host } = await trial.launch();
        const urn = trial.urn(`pulumi:providers:${trial.spec.name}`);
        const calls: readonly (readonly [string, Message])[] = [
          ...(trial.engine === "newest" ? [["handshake", connection.handshakeRequest(host.address)] as const] : []),
          ["checkConfig", new rpc.CheckRequest().setUrn(urn).setNews(toStruct(trial.config))],
          ["diffConfig", new rpc.DiffRequest().setUrn(urn).setNews(toStruct(trial.config))],
          ["configure", connection.configureRequest(trial.config)],
          ["getSchema", new rpc.GetSchemaRequest()],
          ["getPluginInfo", new Empty()],
        ];
        const all: string[] = [];
        for (const [method, message] of calls)
          all.push(`${method} ${await answer(connection.raw(method, form(message.serializeBinary())))}`);
        return all;
      };
      const plain = await answers(Buffer.from);
      const extended = await answers(newer);
      const apart = plain.filter((text, nth) => text !== extended[nth]).map(text => text.split(" ", 1)[0]);
      expect(apart.length === 0, `expected the same answer with unknown fields, got another from ${apart.join(", ")}`);
    },
  },
  {
    name: "newer-calls-are-refused",
    level: "must",
    claim: "A call that the provider doesn't know is answered UNIMPLEMENTED, and the process lives on.",
    breaks: "The engine falls back to what it did before at this code alone: at another one, the command ends.",
    async run(trial) {
      const { connection } = await trial.launch();
      const error = await refused(connection.unheardOf("CallOfANewerEngine"));
      expect(error?.code === "UNIMPLEMENTED", `expected UNIMPLEMENTED, got ${error?.message ?? "an answer"}`);
      await connection.pluginVersion();
    },
  },
  {
    name: "calls-at-once-are-answered",
    level: "must",
    claim: "Calls that come at the same time get their own answers.",
    breaks: "The engine calls in parallel: resources get each other's answers, or wait for ever.",
    async run(trial) {
      const { connection } = await trial.launch();
      const answers = await Promise.all(Array.from({ length: 50 }, () => connection.pluginVersion()));
      expect(new Set(answers).size === 1, "expected fifty times the same version, got several");
    },
  },
  {
    name: "large-messages-are-answered",
    level: "must",
    claim: "A message of 16 MB is read.",
    breaks: "gRPC's own limit of 4 MB stays in force: a large state or asset fails with RESOURCE_EXHAUSTED.",
    async run(trial) {
      const connection = await trial.connect();
      const config = new Map<string, Value>([...trial.config, ["conformanceLarge", "x".repeat(16 << 20)]]);
      const answer = await connection.checkConfig(config).catch((error: unknown) => error);
      const limit =
        answer instanceof CallError && ["RESOURCE_EXHAUSTED", "UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(answer.code);
      expect(!limit, `expected 16 MB to be read, got ${(answer as Error).message}`);
    },
  },
];

export const newerMessageLaws: readonly ResourceLaw[] = [
  {
    name: "newer-messages-are-answered",
    level: "must",
    claim: "Check, Diff, Create and Read answer the same with fields that the provider doesn't know.",
    breaks: "Every stack fails with the next engine, which sends more than today's.",
    async run(trial, connection) {
      const existing = await trial.create();
      const { urn, inputs } = existing;
      const requests: readonly (readonly [string, Message])[] = [
        ["check", connection.checkRequest(urn, trial.program(), inputs)],
        ["diff", connection.diffRequest(existing, inputs)],
        ["read", connection.readRequest(existing)],
        ...(connection.flags.supportsPreview ? [["create", connection.createRequest(urn, inputs, true)] as const] : []),
      ];
      for (const [method, message] of requests) {
        const bytes = message.serializeBinary();
        const plain = await answer(connection.raw(method, Buffer.from(bytes)));
        const extended = await answer(connection.raw(method, newer(bytes)));
        expect(
          plain === extended,
          `expected ${method} to answer the same with unknown fields, got ${extended.slice(0, 200)}`,
        );
      }
    },
  },
];

/** What came back, in a text that two answers share only where they are the same. */
const answer = (call: Promise<Message>): Promise<string> =>
  call.then(
    message => JSON.stringify(message.toObject(), inOneOrder),
    (error: unknown) => {
      if (error instanceof CallError) return `${error.code} ${error.text}`;
      throw error;
    },
  );

/** The entries of a protobuf map come in any order. */
const inOneOrder = (name: string, value: unknown): unknown =>
  name.endsWith("Map") && Array.isArray(value) ? value.map(entry => JSON.stringify(entry, inOneOrder)).sort() : value;
