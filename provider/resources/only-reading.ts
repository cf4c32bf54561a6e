import type { Context } from "./context.js";

/** For a resource that is only looked at, or that another resource owns by now: nothing is remembered of it. */
export function onlyReading(context: Context): Context {
  const { journal } = context;
  const nothing = async () => {};
  return {
    ...context,
    journal: {
      run: journal.run,
      refresh: () => journal.refresh(),
      resource: scope => journal.resource(scope),
      content: (service, fingerprint) => journal.content(service, fingerprint),
      owner: (service, id) => journal.owner(service, id),
      elsewhere: scope => journal.elsewhere(scope),
      reminders: scope => journal.reminders(scope),
      warnings: () => journal.warnings(),
      remind: nothing,
      unremind: nothing,
      begin: async () => undefined,
      claim: async () => false,
      hint: nothing,
      withdraw: nothing,
      show: nothing,
      replace: nothing,
      release: nothing,
      close: nothing,
    },
  };
}
