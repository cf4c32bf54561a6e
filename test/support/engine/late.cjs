// Loaded into Node programs first (NODE_OPTIONS). Of what Pulumi's SDK loads at its start, most is for functions that are
// serialized, for TypeScript and for traces, and takes longer than all the rest: here it waits for its first use.
const Module = require("node:module");

const LATE = /^(typescript|normalize-package-data|@npmcli\/arborist)$/;
/** Their members are taken out at once, and used only where a trace was asked for. */
const TRACES = /^@opentelemetry\/(exporter|instrumentation|resources|sdk)/;
const load = Module._load;

Module._load = function (request, parent, isMain) {
  const now = () => load.call(this, request, parent, isMain);
  const isTrace = TRACES.test(request);
  if (!(isTrace || LATE.test(request)) || !/[\\/]@pulumi[\\/]pulumi[\\/]/.test(parent?.filename)) return now();
  // Throws, as it should, where there is none.
  Module._resolveFilename(request, parent);
  return late(now, name => {
    // The compiler's helpers then take it as it is, and ask for no list of its members.
    if (name === "__esModule") return true;
    // Asked for in each program, for the debug log.
    if (request === "typescript" && name === "version") return parent.require("typescript/package.json").version;
    if (name === "default" && !now().__esModule) return now();
    return isTrace ? late(() => now()[name]) : now()[name];
  });
};

/** Stands for a module, or for what is in one: a class, to be called and constructed as some are. */
function late(now, get = name => now()[name]) {
  return new Proxy(class {}, {
    get: (_, name) => get(name),
    apply: (_, self, args) => Reflect.apply(now(), self, args),
    construct: (_, args) => Reflect.construct(now(), args),
    has: (_, name) => name in now(),
  });
}
