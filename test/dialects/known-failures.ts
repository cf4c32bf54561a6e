/** Departures where a promise is broken today, and why. A test fails where one of them holds again: then its line goes. */
export const knownFailures: readonly { readonly dialect: string; readonly why: string }[] = [];
