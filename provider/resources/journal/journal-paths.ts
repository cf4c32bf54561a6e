import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "./files.js";
import type { Scope } from "./journal-entry.js";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
const slug = (text: string): string => text.replace(/^\w+:\/\//, "").replace(/[^A-Za-z0-9.-]+/g, "_");
const digits = (id: string): string => id.replace(/[^0-9]/g, "_");

/**
 * Where the journal keeps what.
 *
 *   <folder>/<service>/urns/<key>.json         one entry for each resource
 *   <folder>/<service>/ids/<id>                which entry an id belongs to: made exclusively, so two never share one
 *   <folder>/<service>/intents/<fingerprint>.<key>  there for each create with no answer yet
 *   <folder>/<service>/gone/<id>               there for a month once a stack let go of that id
 *   <folder>/sessions/<session>                there once that process ended in order
 */
export class JournalPaths {
  readonly #roots = new Map<string, string>();

  constructor(
    readonly folder: string,
    private readonly backend: string | undefined,
  ) {}

  /** The same stack and URN in two backends are two resources. */
  key({ urn }: Scope): string {
    return hash(`${urn}\n${this.backend ?? ""}`);
  }

  entryOf(scope: Scope): string {
    return this.entry(scope.service, this.key(scope));
  }

  entry(service: string, key: string): string {
    return join(this.#root(service), "urns", `${key}.json`);
  }

  /** Every entry there is. */
  allEntries(): string[] {
    return this.#services()
      .map(name => join(this.folder, name, "urns"))
      .flatMap(folder => namesIn(folder).map(name => join(folder, name)))
      .filter(path => path.endsWith(".json"));
  }

  /** Where files are written beside their place first. */
  draftFolders(): string[] {
    return this.#services().flatMap(name => [join(this.folder, name, "urns"), join(this.folder, name, "ids")]);
  }

  /** The resource's entries at services other than its own. */
  entriesElsewhere(scope: Scope): string[] {
    const here = this.entryOf(scope);
    return this.#services()
      .map(name => join(this.folder, name, "urns", `${this.key(scope)}.json`))
      .filter(path => path !== here && existsSync(path));
  }

  id(service: string, id: string): string {
    return join(this.#root(service), "ids", digits(id));
  }

  intent(scope: Scope, fingerprint: string): string {
    return join(this.#intents(scope.service), `${fingerprint}.${this.key(scope)}`);
  }

  /** Keys of the resources that wait for the answer to a create of this content. */
  waiting(service: string, fingerprint: string): string[] {
    const prefix = `${fingerprint}.`;
    return namesIn(this.#intents(service)).flatMap(name => (name.startsWith(prefix) ? name.slice(prefix.length) : []));
  }

  allGone(service: string): string {
    return join(this.#root(service), "gone");
  }

  gone(service: string, id: string): string {
    return join(this.allGone(service), digits(id));
  }

  get sessions(): string {
    return join(this.folder, "sessions");
  }

  #services(): string[] {
    return namesIn(this.folder).filter(name => name !== "sessions");
  }

  #intents(service: string): string {
    return join(this.#root(service), "intents");
  }

  #root(service: string): string {
    const known = this.#roots.get(service) ?? join(this.folder, `${slug(service)}-${hash(service).slice(0, 8)}`);
    this.#roots.set(service, known);
    return known;
  }
}
