// Who takes part. `rival` is what the targets are ratios of; `slow` ones run once, not in every repeat.
import { bareLoop } from "./bare-loop.mjs";
import { curl } from "./curl.mjs";
import { typescript, yaml } from "./pulumi.mjs";
import { tofu } from "./tofu.mjs";

const ours = kit => kit.plugin;
const idle = kit => kit.idle;

export const CONTENDERS = [
  { key: "plugin-yaml", title: "our plugin, YAML", role: "ours", ...yaml(ours) },
  {
    key: "plugin-ts",
    title: "our plugin, TypeScript compiled",
    role: "ours",
    ...typescript("plugin", { compiled: true, plugin: ours }),
  },
  {
    key: "plugin-ts-node",
    title: "our plugin, TypeScript by ts-node",
    role: "ours",
    ...typescript("plugin", { compiled: false, plugin: ours }),
  },
  {
    key: "sdk-ts",
    title: "our dynamic SDK, TypeScript compiled",
    role: "ours",
    ...typescript("sdk", { compiled: true }),
  },
  {
    key: "sdk-ts-node",
    title: "our dynamic SDK, TypeScript by ts-node",
    role: "ours",
    ...typescript("sdk", { compiled: false }),
  },
  { key: "tofu", title: "OpenTofu + restapi", role: "rival", ...tofu },
  {
    key: "naive",
    title: "naive dynamic provider",
    role: "rival",
    slow: true,
    ...typescript("naive", { compiled: false }),
  },
  { key: "curl", title: "a Pulumi provider that runs curl", role: "rival", ...curl },
  { key: "idle-yaml", title: "engine alone, YAML", role: "floor", ...yaml(idle) },
  {
    key: "idle-ts",
    title: "engine alone, TypeScript compiled",
    role: "floor",
    ...typescript("plugin", { compiled: true, plugin: idle }),
  },
  {
    key: "idle-dynamic",
    title: "engine alone, dynamic, TypeScript compiled",
    role: "floor",
    ...typescript("idle-dynamic", { compiled: true, phases: ["up", "preview", "refresh"] }),
  },
  { key: "waiting-yaml", title: "engine and waiting, YAML", role: "floor", ...yaml(idle, { waits: true }) },
  {
    key: "waiting-ts",
    title: "engine and waiting, TypeScript compiled",
    role: "floor",
    ...typescript("plugin", { compiled: true, plugin: idle, waits: true }),
  },
  {
    key: "waiting-dynamic",
    title: "engine and waiting, dynamic, TypeScript compiled",
    role: "floor",
    ...typescript("idle-dynamic", { compiled: true, phases: ["up", "preview", "refresh"], waits: true }),
  },
  { key: "loop", title: "bare loop of requests", role: "floor", ...bareLoop },
];

export const contender = key => CONTENDERS.find(one => one.key === key);
