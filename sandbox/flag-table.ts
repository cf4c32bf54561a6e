export const flags = {
  port: { type: "string" },
  host: { type: "string" },
  "api-key": { type: "string" },
  latency: { type: "string" },
  seed: { type: "string", multiple: true },
  file: { type: "string" },
  control: { type: "boolean" },
  reset: { type: "boolean" },
  dialect: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;
