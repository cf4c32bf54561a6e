// What bundles load as undici: its agent, and the methods that its index gives to every dispatcher. The index itself
// brings fetch, WebSocket, mocks and caches along, which take longer to load than everything else of an `up`.
const Agent = require("undici/lib/dispatcher/agent");
const Dispatcher = require("undici/lib/dispatcher/dispatcher");

Object.assign(Dispatcher.prototype, require("undici/lib/api"));

module.exports = { Agent };
