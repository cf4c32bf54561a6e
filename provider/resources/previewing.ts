import type { Context } from "./context.js";
import { JournalUnavailableError } from "./journal/log.js";
import { onlyReading } from "./only-reading.js";
import type { Call } from "./resource.js";

/** In a preview, a journal that can't be read remembers nothing: its warning is said, and `pulumi up` would be refused. */
export function previewing(context: Context, { preview }: Pick<Call, "preview">): Context {
  if (!preview) return context;
  const { journal } = context;
  const reading = onlyReading(context);
  return {
    ...reading,
    journal: {
      ...reading.journal,
      refresh: () => orNothing(journal.refresh(), undefined),
      resource: scope => orNothing(journal.resource(scope), { attempt: undefined, owned: [] }),
      ofContract: (service, contract) => orNothing(journal.ofContract(service, contract), { attempts: [], owned: [] }),
      owner: (service, id, kind) => orNothing(journal.owner(service, id, kind), undefined),
      elsewhere: scope => orNothing(journal.elsewhere(scope), []),
      reminded: (scope, ids) => orNothing(journal.reminded(scope, ids), []),
    },
  };
}

async function orNothing<T>(answer: Promise<T>, nothing: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof JournalUnavailableError) return nothing;
    throw error;
  }
}
