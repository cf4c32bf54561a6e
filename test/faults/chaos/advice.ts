/** What a person can do who read an error. */
export interface Person {
  /** The platform shows this document. */
  exists(id: string): boolean;
  /** Somebody else's, or another resource's of this stack. */
  isOthers(id: string): boolean;
  /** A person who looks at this document sees what the program sent for this resource. */
  recognizes(id: string): boolean;
  /** The document on the platform that no state holds and that the resource was to have. */
  lost(): string | undefined;
  /** The program goes back to what a document holds. */
  changeBack(id: string): void;
  /** The program wants another contract. */
  rename(): void;
  untaint(): void;
  deleteBeforeReplace(): void;
  deleteFromState(): void;
  forget(tokens: readonly string[]): void;
  /** `docsign journal resolve TOKEN --is ID` */
  resolve(token: string, id: string): Promise<void>;
  wait(): void;
  /** Whether `pulumi up` was run again since it first said this of the resource. */
  ranAgain(): boolean;
  refresh(): Promise<void>;
  import(id: string): Promise<void>;
  sawThePlatform(): void;
}

export interface Read {
  readonly name: string;
  readonly message: string;
  /** The id that state holds for the resource. */
  readonly holds: string | undefined;
}

/** Does what an error's message says. What it gives no advice on is tried again. */
export async function followAdvice({ name, message, holds }: Read, person: Person): Promise<void> {
  const cause = /\[docsign\/([\w-]+)\]/.exec(message)?.[1];
  const tokens = [...message.matchAll(/DOCSIGN_FORGET=(\w+)/g)].map(([, token]) => token ?? "");
  const importing = new RegExp(`(?:pulumi import \\S+ \\S+ ${name} '?|resource option import: ")(\\d+)`);
  const toImport = importing.exec(message)?.[1];
  const named = [...message.matchAll(/^ *document (\d+), /gm)].map(([, id]) => id);
  const isFree = (id: string | undefined): id is string =>
    id !== undefined && person.exists(id) && !person.isOthers(id);
  if (/look on the platform whether there are two/.test(message)) person.sawThePlatform();
  switch (cause) {
    case "replace-signed":
    case "replace-unconfirmed":
    case "folder-not-empty":
      person.untaint();
      if (holds === undefined) {
        if (isFree(toImport)) await person.import(toImport);
        else person.forget(tokens);
      } else if (cause === "folder-not-empty" || person.exists(holds)) person.changeBack(holds);
      else person.deleteFromState();
      return;
    case "not-shown":
      if (holds !== undefined && !person.exists(holds)) person.deleteFromState();
      return;
    case "replace-unknown-predecessor":
      return person.deleteBeforeReplace();
    case "create-unconfirmed":
    case "create-elsewhere":
      person.wait();
      // What another resource's create led to is that resource's.
      if (cause === "create-elsewhere" && !message.includes(`::${name}\n`)) return;
      // The pipeline runs again; a person looks once that says the same, without a word of waiting.
      if (/after \d{4}-/.test(message) || !person.ranAgain()) return;
      {
        const [, token] = /docsign journal resolve (\w+) --is/.exec(message) ?? [];
        const lost = person.lost();
        return token !== undefined && isFree(lost) ? person.resolve(token, lost) : takeOver(lost);
      }
    case "duplicate-unconfirmed":
      // What the program let go of was removed on the platform.
      return person.forget(tokens);
    case "create-ambiguous":
      return takeOver([toImport, ...named].find(id => isFree(id) && person.recognizes(id)) ?? person.lost());
    case "created-with-other-content":
      if (toImport !== undefined && toImport === holds) return person.refresh();
      return takeOver(toImport);
    case "duplicate": {
      const free = [toImport, ...named].find(isFree);
      return free === undefined ? person.rename() : person.import(free);
    }
    default:
  }

  async function takeOver(id: string | undefined): Promise<void> {
    if (isFree(id)) await person.import(id);
    else person.forget(tokens);
  }
}
