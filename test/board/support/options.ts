export const options = { now: new Date("2026-11-21T12:00:00Z"), lateAfterDays: 14 };
