import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Values } from "../kit/values.js";
import { createService } from "./client/client.js";
import type { Service } from "./client/service.js";
import { fetchRemoteFile } from "./client/transport.js";
import { type Environment, originIn, type Settings, settingsFrom } from "./config.js";
import { type Clock, systemClock } from "./core/clock.js";
import { stateFolder } from "./core/private-folder.js";
import { sharedLimit } from "./limits/shared-limit.js";
import { isAlive as isProcessAlive, otherProviders, startOf } from "./processes.js";
import type { Context } from "./resources/context.js";
import { DeploymentLog } from "./resources/journal/deployment-log.js";
import type { LoggedJournal } from "./resources/journal/logged-journal.js";
import { openJournal } from "./resources/journal/open-journal.js";
import { HeldPdfs } from "./resources/pdf/asset-source.js";
import { TemplateStore } from "./resources/pdf/template-input.js";
import { UserError } from "./resources/resource.js";
import { Renderer } from "./template-renderer.js";

export interface RuntimeOptions {
  readonly env: Environment;
  readonly version: string;
  /** The engine's address: what the processes of one deployment have in common. */
  readonly engine: string | undefined;
  readonly pid: number;
  readonly isAlive?: (pid: number) => boolean;
  readonly clock?: Clock;
}

/** What both front ends share: the configured service and this machine's memory. */
export interface Runtime {
  readonly context: Context & { readonly journal: LoggedJournal };
  configure(values: Values): void;
  /** Another deployment begins in a process that a debugger attaches to. */
  begin(): void;
  close(): Promise<void>;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { env, clock = systemClock, engine, pid, isAlive = isProcessAlive } = options;
  const folder = stateFolder(env);
  const held = new HeldPdfs(join(folder, "held"));
  const newLog = () => new DeploymentLog(join(folder, "deployments"), engine, pid, isAlive, startOf);
  let deploymentLog = newLog();
  let settings: Settings = settingsFrom({}, env);
  let configured = false;
  let opened: LoggedJournal | undefined;
  let connected: Service | undefined;
  const service = (): Service => {
    connected ??= connectService(settings, options);
    return connected;
  };

  return {
    context: {
      service,
      origin: () => {
        try {
          return service().origin;
        } catch {
          // Settings that name no service: delete works without one.
          return undefined;
        }
      },
      policy: () => settings,
      get journal() {
        opened ??= openJournal({
          setting: settings.journal,
          env,
          folder: join(folder, "journal"),
          run: deploymentLog.run,
          clock,
          otherProviders: engine === undefined ? undefined : otherProviders,
        });
        return opened;
      },
      get deploymentLog() {
        return deploymentLog;
      },
      pdfs: { held, fetchRemote: fetchRemoteFile, templates: new TemplateStore(new Renderer(), fetchRemoteFile) },
      clock,
    },
    configure(values) {
      const next = settingsFrom(values, env);
      // The engine configures a process once. A second time it may be somebody else, who wants the key sent to them.
      if (configured && originIn(next.baseUrl) !== originIn(settings.baseUrl)) {
        throw new UserError(
          `expected the service this process was configured for, ${String(originIn(settings.baseUrl))}, got ${String(originIn(next.baseUrl))}: start another process for another service`,
        );
      }
      // One that a debugger attaches to serves all providers of a program: one's settings aren't another's.
      const isOfAnother = !isDeepStrictEqual({ ...next, baseUrl: "" }, { ...settings, baseUrl: "" });
      if (engine === undefined && configured && isOfAnother) {
        throw new UserError(
          "this process has the settings of another provider of this deployment: run `pulumi` without PULUMI_DEBUG_PROVIDERS, or with the same settings for all providers of docsign",
        );
      }
      // What the first one has under way goes on.
      if (engine === undefined && configured && isDeepStrictEqual(next, settings)) return;
      configured = true;
      settings = next;
      void connected?.close();
      void opened?.close();
      connected = undefined;
      opened = undefined;
    },
    begin() {
      if (engine !== undefined) return;
      configured = false;
      deploymentLog = newLog();
      void opened?.close();
      opened = undefined;
    },
    async close() {
      held.close();
      await Promise.all([connected?.close(), opened?.close()]);
    },
  };
}

function connectService(settings: Settings, { env, version, clock }: RuntimeOptions): Service {
  const { baseUrl, credentials, obstacles } = settings;
  if (baseUrl === undefined || credentials === undefined || obstacles.length > 0) {
    throw new UserError(`the docsign provider isn't configured:\n${obstacles.map(line => `  - ${line}`).join("\n")}`);
  }
  return createService({
    ...{ ...settings, baseUrl, credentials },
    shared: sharedLimit(env, baseUrl, credentials),
    userAgent: `pulumi-docsign/${version}`,
    clock,
  });
}
