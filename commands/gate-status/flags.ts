export const flags = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
