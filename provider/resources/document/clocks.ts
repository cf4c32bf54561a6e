/** The clocks of two machines, or of one and the service, may be so far apart; a service's may stand still. */
export const CLOCKS_APART_MS = 24 * 3_600_000;
/** Servers, and what stamps `created_at`, may disagree on the time. */
export const CLOCK_SLACK_MS = 10 * 60_000;
