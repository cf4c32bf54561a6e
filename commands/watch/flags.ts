export const flags = { once: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
