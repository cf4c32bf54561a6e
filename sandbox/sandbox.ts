import { randomInt } from "node:crypto";
import { Clock } from "./clock.js";
import { ContentStore, keysFrom, type SandboxContext } from "./context.js";
import { type Control, openControl } from "./control/control.js";
import type { NewInvitation } from "./documents.js";
import type {
  AccountRecord,
  DocumentRecord,
  FolderRecord,
  MailRecord,
  OrganizationRecord,
  UserRecord,
} from "./entities.js";
import { Exchanges } from "./exchange.js";
import { FaultBook } from "./faults/book.js";
import type { SeenRequest } from "./history.js";
import * as platform from "./platform.js";
import { notFound } from "./refusal.js";
import { documentStatus, latestFile } from "./rules.js";
import { play, type Scenario } from "./scenario.js";
import { type Listening, listen, targetOf } from "./server.js";
import { type SandboxOptions, type Settings, settingsFrom } from "./settings.js";
import * as signing from "./signing.js";
import { emptyStore, Persistence, Store } from "./store.js";

export type SandboxDocument = DocumentRecord & { status: string };

/** The running service. */
export class Sandbox implements AsyncDisposable {
  readonly clock = new Clock();
  readonly faults = new FaultBook();
  readonly settings: Settings;
  /** Every request seen, in order; those to the control surface aside. */
  readonly history: SeenRequest[] = [];
  readonly #options: SandboxOptions;
  readonly #store = new Store();
  readonly #content: ContentStore;
  readonly #persistence: Persistence | undefined;
  readonly #exchanges: Exchanges;
  readonly #control: Control | undefined;
  readonly #context: SandboxContext;
  #listening: Listening | undefined;
  #closing = false;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.settings = settingsFrom(options);
    this.#content = new ContentStore(options.keepContent ?? true);
    this.#persistence =
      options.file === undefined ? undefined : new Persistence(options.file, this.#store, this.#content);
    const urlNow = () => this.url;
    this.#context = {
      store: this.#store,
      content: this.#content,
      clock: this.clock,
      makeKey: keysFrom(options.seed ?? randomInt(2 ** 32)),
      settings: this.settings,
      counts: { requests: 0 },
      get origin() {
        return urlNow();
      },
    };
    this.#exchanges = new Exchanges({
      context: this.#context,
      faults: this.faults,
      history: this.history,
      keepContent: this.#content.keeps,
      keepAnswers: options.control ?? false,
      save: () => this.save(),
      isClosing: () => this.#closing,
    });
    this.#control = options.control ? openControl(this, this.#context) : undefined;
  }

  /** Takes the state from the file or the options, then listens. */
  async open(): Promise<this> {
    const { port = 0, tls, now, frozen, apiKey } = this.#options;
    // Frozen first: between the two a millisecond could pass.
    if (frozen) this.clock.freeze();
    if (now !== undefined) this.clock.set(now);
    if (!this.#persistence?.load()) this.#fill(this.#options);
    else if (apiKey !== undefined) this.account.apiKey = apiKey;
    await this.save();
    this.#listening = await listen({
      host: this.host,
      port,
      tls,
      answer: async (request, response) => {
        const target = targetOf(request.url ?? "/");
        const control = this.#control;
        if (control?.takes(request, target)) return control.answer(request, response, target);
        const answered = this.#exchanges.answer(request, response, target);
        control?.changed();
        await answered.finally(() => control?.changed());
      },
    });
    return this;
  }

  /** The address it listens on. */
  get host(): string {
    return this.#options.host ?? "127.0.0.1";
  }

  get url(): string {
    return this.#listening?.url ?? "";
  }

  /** The main account, with its `apiKey`, `email` and `password`. */
  get account(): AccountRecord {
    const [main] = this.#store.data.accounts;
    if (!main) throw new Error("The sandbox was not opened");
    return main;
  }

  get apiKey(): string {
    return this.account.apiKey;
  }

  get email(): string {
    return this.account.email;
  }

  get password(): string {
    return this.account.password;
  }

  get mails(): readonly MailRecord[] {
    return this.#store.data.mails;
  }

  documents(): SandboxDocument[] {
    return this.#store.data.documents.map(one => ({ ...structuredClone(one), status: documentStatus(one) }));
  }

  document(documentId: number): SandboxDocument {
    const document = this.#find(documentId);
    return { ...structuredClone(document), status: documentStatus(document) };
  }

  folders(): FolderRecord[] {
    return structuredClone(this.#store.data.folders);
  }

  /** The original bytes of the latest version. */
  content(documentId: number): Buffer | undefined {
    return this.#content.get(latestFile(this.#find(documentId)).sha256);
  }

  configure(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
  }

  sign(documentId: number, who: signing.Who, options?: signing.SignOptions): void {
    signing.sign(this.#context, this.#find(documentId), who, options);
  }

  /** Everybody who hasn't signed does, stage by stage. */
  signAll(documentId: number): void {
    const document = this.#find(documentId);
    const signers = latestFile(document).signers;
    const open = document.invitations.filter(one =>
      signers.some(s => s.invitationId === one.id && s.signedAt === null),
    );
    for (const { id } of open.sort((one, other) => one.stage - other.stage)) signing.sign(this.#context, document, id);
  }

  decline(documentId: number, who: signing.Who): void {
    signing.decline(this.#context, this.#find(documentId), who);
  }

  certify(documentId: number, what: signing.CertifyWhat = "all", options?: signing.CertifyOptions): void {
    signing.certify(this.#context, this.#find(documentId), what, options);
  }

  addVersion(documentId: number, pdf: Uint8Array): void {
    platform.addVersion(this.#context, this.#find(documentId), Buffer.from(pdf));
  }

  addComment(documentId: number, by: string, title: string, text: string): void {
    platform.addComment(this.#context, this.#find(documentId), by, title, text);
  }

  /** Makes the service claim any status, also one nobody knows; null goes back to its rules. */
  setStatus(documentId: number, status: string | null): void {
    platform.setStatus(this.#context, this.#find(documentId), status);
  }

  edit(documentId: number, patch: platform.DocumentPatch): void {
    platform.editDocument(this.#context, this.#find(documentId), patch);
  }

  rename(documentId: number, name: string): void {
    this.edit(documentId, { name });
  }

  moveToFolder(documentId: number, folderId: number | null): void {
    this.edit(documentId, { folderId });
  }

  moveToOrganization(documentId: number, organizationId: number | null): void {
    this.edit(documentId, { organizationId });
  }

  remove(documentId: number): void {
    platform.removeDocument(this.#context, this.#find(documentId));
  }

  addInvitation(documentId: number, invitation: NewInvitation): number {
    return platform.addInvitation(this.#context, this.#find(documentId), invitation).id;
  }

  editInvitation(invitationId: number, patch: platform.InvitationPatch): void {
    platform.editInvitation(this.#context, invitationId, patch);
  }

  removeInvitation(invitationId: number): void {
    platform.removeInvitation(this.#context, invitationId);
  }

  addAccount(account: platform.NewAccount): AccountRecord {
    return platform.addAccount(this.#context, account);
  }

  addUser(email: string, name: string): UserRecord {
    return platform.addUser(this.#context, email, name);
  }

  addOrganization(name: string, members: readonly string[] = [this.email]): OrganizationRecord {
    return platform.addOrganization(this.#context, name, members);
  }

  addFolder(name: string, owner = this.email): FolderRecord {
    return platform.addFolder(this.#context, platform.accountNamed(this.#context, owner), name);
  }

  /** Fills in what the scenario lists; returns the ids of its documents. */
  seed(scenario: Scenario): number[] {
    return play(this.#context, scenario);
  }

  /** Back to how it started: same key, same settings, no documents, no mails, no history, no faults. */
  reset(): void {
    const kept = this.account;
    this.faults.clear();
    this.history.length = 0;
    this.#content.clear();
    this.#store.data = emptyStore();
    this.configure(settingsFrom(this.#options));
    this.#fill(kept);
  }

  /** Resolves once the state is in the file, at once where there is none. */
  save(): Promise<void> {
    return this.#persistence?.save() ?? Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.faults.clear();
    this.clock.stop();
    await this.#listening?.close();
    await this.save();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #find(documentId: number): DocumentRecord {
    const document = this.#store.document(documentId);
    if (!document) throw notFound(`The document ${documentId}`);
    return document;
  }

  #fill({ password, apiKey }: { password?: string; apiKey?: string }): void {
    const { email = "owner@example.com", quota, storage, scenario } = this.#options;
    if (this.settings.ids === "small") this.#store.countFrom(1);
    this.addAccount({
      email,
      name: "Sandbox Owner",
      ...(password !== undefined && { password }),
      ...(apiKey !== undefined && { apiKey }),
      ...(quota !== undefined && { quota }),
      ...(storage !== undefined && { storage }),
    });
    if (scenario) this.seed(scenario);
  }
}

/** Starts the stand-in for the service. */
export function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return new Sandbox(options).open();
}
