import { bareRecord } from "./records.js";
import { Reader } from "./wire.js";

/** A protobuf Struct, written. The codec reads and writes it. */
export type Struct = Buffer;

interface Field<T> {
  readonly number: number;
  readonly empty: T;
  read(reader: Reader, before: T): T;
}

const field =
  <T>(empty: T, read: (reader: Reader, before: T) => T) =>
  (number: number): Field<T> => ({ number, empty, read });
const text = field("", reader => reader.text());
const bool = field(false, reader => reader.bool());
const integer = field(0, reader => reader.integer());
const double = field(0, reader => reader.double());
const struct = field<Struct | undefined>(undefined, reader => reader.bytes());
/** Of a field that comes several times: the first makes a collection, and the others go into the same one. */
function several<T>(make: () => T, add: (all: T, reader: Reader) => void) {
  const none = make();
  return field(none, (reader, before) => {
    const all = before === none ? make() : before;
    add(all, reader);
    return all;
  });
}
const texts = several(
  (): string[] => [],
  (all, reader) => all.push(reader.text()),
);
const textMap = several(
  () => new Map<string, string>(),
  (all, reader) => {
    const { key, value } = entry(reader.bytes());
    all.set(key, value);
  },
);

type Fields = Readonly<Record<string, Field<unknown>>>;
type Message<F extends Fields> = { readonly [Name in keyof F]: F[Name]["empty"] };

/** Fields of Pulumi's that nothing here needs, by name. A test finds those that are neither read nor named. */
type Unread = Readonly<Record<string, number>>;

function message<F extends Fields>(fields: F, unread: Unread = {}) {
  const entries = Object.entries(fields);
  const byNumber = new Map(entries.map(entry => [entry[1].number, entry]));
  const empty = Object.fromEntries(entries.map(([name, field]) => [name, field.empty]));
  const read = (bytes: Buffer): Message<F> => {
    const read = bareRecord<unknown>();
    Object.assign(read, empty);
    const reader = new Reader(bytes);
    for (let number = reader.next(); number !== 0; number = reader.next()) {
      const [name, field] = byNumber.get(number) ?? [];
      if (name !== undefined && field) read[name] = field.read(reader, read[name]);
    }
    return read as Message<F>;
  };
  return Object.assign(read, { fields: new Set([...byNumber.keys(), ...Object.values(unread)]) });
}

const entry = message({ key: text(1), value: text(2) });
const nothing = message({});

const method = <F extends Fields>(name: string, read: ReturnType<typeof message<F>>) => ({
  path: `/pulumirpc.ResourceProvider/${name}`,
  read,
});

/** Both stand in the URN. */
const named = (name: number) => ({ name, type: name + 1 });
/** For providers whose resources show others as their parts. */
const views = (address: number) => ({ resourceStatusAddress: address, resourceStatusToken: address + 1 });

const autonaming = message({ proposed: text(1), mode: integer(2) });
const checked = message(
  {
    urn: text(1),
    olds: struct(2),
    news: struct(3),
    randomSeed: field<Buffer>(Buffer.alloc(0), reader => reader.bytes())(5),
    autonaming: field({ proposed: "", mode: 0 }, reader => autonaming(reader.bytes()))(8),
  },
  { ...named(6), oldOutputs: 9 },
);
const diffed = message(
  { id: text(1), urn: text(2), olds: struct(3), news: struct(4), ignoreChanges: texts(5), oldInputs: struct(6) },
  named(7),
);
/** What a handshake says of the engine beside its address: where it runs, and what it could take besides. */
const abilities = {
  ...{ rootDirectory: 2, programDirectory: 3, configureWithUrn: 4, supportsViews: 5, supportsRefreshBeforeUpdate: 6 },
  ...{ invokeWithPreview: 7, mapperTarget: 8, loaderTarget: 9, resolverTarget: 10, acceptsByteString: 11 },
  ...{ sendsOldOutputsToCheck: 12, acceptsOutputsInInvoke: 13, acceptsOutputsInCall: 14, acceptsOutputsInCheck: 15 },
};

/** What the plugin answers of pulumi's provider.proto: of each request the fields that are read, and those that aren't. */
export const SERVICE = {
  handshake: method("Handshake", message({ engineAddress: text(1) }, abilities)),
  attach: method("Attach", message({ address: text(1) })),
  getPluginInfo: method("GetPluginInfo", nothing),
  getSchema: method("GetSchema", message({ version: integer(1) }, { subpackageName: 2, subpackageVersion: 3 })),
  getMapping: method("GetMapping", message({}, { key: 1, provider: 2 })),
  getMappings: method("GetMappings", message({}, { key: 1 })),
  checkConfig: method("CheckConfig", checked),
  diffConfig: method("DiffConfig", diffed),
  configure: method(
    "Configure",
    message(
      { variables: textMap(1), args: struct(2), acceptSecrets: bool(3) },
      { acceptResources: 4, sendsOldInputs: 5, sendsOldInputsToDelete: 6, id: 7, urn: 8, ...named(9) },
    ),
  ),
  check: method("Check", checked),
  diff: method("Diff", diffed),
  create: method(
    "Create",
    message(
      { urn: text(1), properties: struct(2), timeout: double(3), preview: bool(4) },
      { ...named(5), ...views(7) },
    ),
  ),
  read: method(
    "Read",
    message(
      { id: text(1), urn: text(2), properties: struct(3), inputs: struct(4), timeout: double(10) },
      { ...named(5), ...views(7), oldViews: 9 },
    ),
  ),
  update: method(
    "Update",
    message(
      {
        id: text(1),
        urn: text(2),
        olds: struct(3),
        news: struct(4),
        timeout: double(5),
        preview: bool(7),
        oldInputs: struct(8),
      },
      { ignoreChanges: 6, ...named(9), ...views(11), oldViews: 13 },
    ),
  ),
  delete: method(
    "Delete",
    message(
      { id: text(1), urn: text(2), properties: struct(3), timeout: double(4), oldInputs: struct(5) },
      { ...named(6), ...views(8), oldViews: 10 },
    ),
  ),
  invoke: method("Invoke", message({ token: text(1), args: struct(2), preview: bool(7) })),
  list: method(
    "List",
    message({ token: text(1), query: struct(2), limit: integer(3), pageSize: integer(4), continuationToken: text(5) }),
  ),
  cancel: method("Cancel", nothing),
  parameterize: method("Parameterize", nothing),
  construct: method("Construct", nothing),
  call: method("Call", nothing),
};

export type RequestOf<Name extends keyof typeof SERVICE> = ReturnType<(typeof SERVICE)[Name]["read"]>;

export const EMPTY: Buffer = Buffer.alloc(0);
