// For trying out alone: whatever Node program loads this lives seven days ahead.
const { now } = Date;
Date.now = () => now() + 7 * 24 * 3600 * 1000;
