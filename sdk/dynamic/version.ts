declare const DOCSIGN_VERSION: string | undefined;

/** Set by the build; sources run as they are have none. */
export const version = typeof DOCSIGN_VERSION === "string" ? DOCSIGN_VERSION : "0.0.0";
