import type { DocumentBody } from "../../client/service.js";
import { sameText } from "./match.js";

interface Flight {
  readonly name: string;
  readonly over: PromiseWithResolvers<void>;
  /** It waits for others itself. */
  waits: boolean;
}

/** The creates of this run that were sent and whose outcome isn't known yet, by URN. */
export class CreatesInFlight {
  readonly #flights = new Map<string, Flight>();

  begin(urn: string, name: string): void {
    this.#flights.set(urn, { name, over: Promise.withResolvers(), waits: false });
  }

  end(urn: string): void {
    this.#flights.get(urn)?.over.resolve();
    this.#flights.delete(urn);
  }

  /** The others that one of these documents may belong to, by its name. No two creates wait for each other. */
  othersThatMade(documents: readonly DocumentBody[], urn: string): Promise<void>[] {
    const others = [...this.#flights].filter(
      ([each, { name, waits }]) => each !== urn && !waits && documents.some(body => sameText(name, body.name)),
    );
    const own = this.#flights.get(urn);
    if (own && others.length > 0) own.waits = true;
    return others.map(([, { over }]) => over.promise);
  }
}
