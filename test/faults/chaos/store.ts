import { startPostgres } from "../../journal/support/postgres-server.js";
import { startTcpProxy } from "../../journal/support/tcp-proxy.js";
import { startVersityGateway } from "../../journal/support/versity-gateway.js";
import { type Chance, chance, seedFrom } from "../../support/independent-service/chance.js";

/** What the journal's store does during a command: from the piece of that number on, or every so many. */
export type StoreFault =
  | { readonly kind: "slow"; readonly delay: number }
  | { readonly kind: "cut off"; readonly every: number }
  | { readonly kind: "restarted" | "silent"; readonly at: number };

/** A server that keeps the journals of one life after another. */
export interface Store extends AsyncDisposable {
  /** A store with nothing in it. */
  clear(): Promise<void>;
  /** One machine's connection, in which the fault happens. */
  reach(fault: StoreFault | undefined): Promise<Reach>;
}

export interface Reach extends AsyncDisposable {
  /** For `DOCSIGN_JOURNAL`. */
  readonly setting: string;
  /** Sooner or later, or it ends the connection. */
  readonly answers: boolean;
  /** The machine is gone: what it was sending doesn't arrive. */
  lose(): void;
}

export const stores = { postgres: inPostgres, s3: inGateway };

interface Server {
  readonly port: number;
  restart(): Promise<void>;
}

async function inPostgres(): Promise<Store> {
  const server = await startPostgres();
  const restart = async () => {
    await server.stop();
    await server.start();
  };
  const ways = new Ways({ port: server.port, restart }, port => server.urlAt(port));
  return {
    async clear() {
      await ways.settled;
      await server.run("drop schema if exists docsign cascade");
    },
    reach: fault => ways.reach(fault),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function inGateway(): Promise<Store> {
  const secret = "docsign-secret";
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "docsign", AWS_SECRET_ACCESS_KEY: secret });
  const server = await startVersityGateway("docsign", secret);
  let life = 0;
  const ways = new Ways(server, port => `s3://contracts/${life}?endpoint=http://127.0.0.1:${port}`);
  return {
    async clear() {
      await ways.settled;
      life++;
    },
    reach: fault => ways.reach(fault),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

class Ways {
  settled: Promise<void> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private readonly settingAt: (port: number) => string,
  ) {}

  async reach(fault: StoreFault | undefined): Promise<Reach> {
    await this.settled;
    const proxy = await startTcpProxy(this.server.port);
    if (fault?.kind === "slow") proxy.delay = fault.delay;
    if (fault?.kind === "cut off") proxy.cutEvery = fault.every;
    proxy.onPiece = nth => {
      if (fault?.kind === "silent" && nth >= fault.at) proxy.mode = "silent";
      if (fault?.kind === "restarted" && nth === fault.at) this.settled = this.server.restart();
    };
    return {
      setting: this.settingAt(proxy.port),
      get answers() {
        return proxy.mode === "open";
      },
      lose() {
        proxy.mode = "closed";
        proxy.cut();
      },
      [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
    };
  }
}

/** Nothing in two of five commands. */
export function storeFaultOf(seed: number, command: number): StoreFault | undefined {
  const next: Chance = chance(seedFrom(seed, "store", command));
  const upTo = (most: number) => 1 + Math.floor(next() * most);
  const dice = next();
  if (dice < 0.4) return undefined;
  if (dice < 0.55) return { kind: "slow", delay: upTo(4) };
  if (dice < 0.75) return { kind: "cut off", every: 12 + upTo(30) };
  return { kind: dice < 0.87 ? "restarted" : "silent", at: upTo(30) };
}
