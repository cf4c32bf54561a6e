export const COMMANDS = ["preview", "up", "refresh", "destroy"] as const;
export const VERBS = [...COMMANDS, "status", "cancel", "retry", "worker", "export"] as const;

export const flags = {
  file: { type: "string", short: "f" },
  "expect-mails": { type: "string" },
  work: { type: "boolean" },
  move: { type: "boolean" },
  parallel: { type: "string" },
  board: { type: "string" },
  json: { type: "boolean" },
  kubernetes: { type: "boolean" },
  github: { type: "boolean" },
  tables: { type: "boolean" },
  source: { type: "string" },
  branch: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;
