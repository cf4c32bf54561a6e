import type { DocumentBody } from "../../client/service.js";
import { sameText } from "./match.js";

export interface Flight {
  readonly name: string;
  readonly over: PromiseWithResolvers<void>;
  /** It waits for others itself. */
  waits: boolean;
}

/** The creates of this run that were sent and whose outcome isn't known yet. */
export class CreatesInFlight {
  readonly #flights = new Set<Flight>();
  readonly #taken = new Set<string>();

  /** Where the journal can't be asked: whether no other create of this process has taken this document. */
  take(id: string): boolean {
    const isFree = !this.#taken.has(id);
    this.#taken.add(id);
    return isFree;
  }

  begin(name: string): Flight {
    const flight = { name, over: Promise.withResolvers<void>(), waits: false };
    this.#flights.add(flight);
    return flight;
  }

  end(flight: Flight): void {
    flight.over.resolve();
    this.#flights.delete(flight);
  }

  /** The others that one of these documents may belong to, by its name. No two creates wait for each other. */
  othersThatMade(documents: readonly DocumentBody[], own: Flight | undefined): Promise<void>[] {
    const others = [...this.#flights].filter(
      each => each !== own && !each.waits && documents.some(body => sameText(each.name, body.name)),
    );
    if (own && others.length > 0) own.waits = true;
    return others.map(({ over }) => over.promise);
  }
}
