/** The clocks of two machines, or of one and the service, may be so far apart; a service's may stand still. */
export const CLOCKS_APART_MS = 24 * 3_600_000;
