import { Asset } from "../../kit/values.js";
import { type Goal, type Outcome, Ref, type UpOptions } from "../support/simulated-engine.js";
import { base64, nda, pdf, people, type Scene } from "./scene.js";

/** What can be the matter with a document. Nothing but the first may ever be replaced. */
export const statuses: Readonly<Record<string, { become(s: Scene, id: string): void; says: RegExp }>> = {
  unsigned: { become: () => {}, says: /unsigned/ },
  partially_signed: {
    become: (s, id) => s.service.people.sign(id, "ana@example.com"),
    says: /is partially signed[\s\S]*signed: ana@example\.com[\s\S]*waiting: bob@example\.org/,
  },
  signed: {
    become: (s, id) => s.service.people.signAll(id),
    says: /is signed[\s\S]*signed: ana@example\.com[\s\S]*signed: bob@example\.org/,
  },
  "a word nobody knows": {
    become: (s, id) => s.service.people.forceStatus(id, "embalmed"),
    says: /is embalmed[\s\S]*waiting: ana@example\.com/,
  },
  "unsigned with a signature in it": {
    become(s, id) {
      s.service.people.sign(id, "bob@example.org");
      s.service.people.forceStatus(id, "unsigned");
    },
    says: /is unsigned by its status, but shows a signature[\s\S]*signed: bob@example\.org/,
  },
};

export interface Cause {
  /** The program before. */
  readonly before: (options: Partial<Goal>) => Goal[];
  /** The program that makes the engine replace. */
  readonly after: (options: Partial<Goal>) => Goal[];
  /** How the engine is called, besides. */
  readonly options?: UpOptions;
  readonly prepare?: (s: Scene) => void;
  /** What a user does besides taking the program back. */
  readonly revert?: (s: Scene) => void;
  /** The property the message names; undefined where the engine names none. */
  readonly names?: RegExp;
  /** Folders that are replaced along, where nothing looks first. */
  readonly folders?: number;
  /** People mailed by an allowed replacement. */
  readonly mails?: number;
  /** Going back to the program before would replace again, so this one heals. */
  readonly healsForward?: boolean;
}

const folder = (name = "Contracts"): Goal => ({ name: "folder", type: "docsign:index:Folder", inputs: { name } });
const edit = (inputs: Goal["inputs"], names: RegExp, more: Partial<Cause> = {}): Cause => ({
  before: options => [nda(options)],
  after: options => [nda({ ...options, inputs })],
  names,
  ...more,
});
const asset = (text: string): Asset => new Asset({ text: pdf(text).toString() });

export const causes: Readonly<Record<string, Cause>> = {
  "the file": {
    before: options => [nda({ ...options, inputs: { base64File: null, file: asset("one") } })],
    after: options => [nda({ ...options, inputs: { base64File: null, file: asset("two") } })],
    names: /changed: file \(sha256:[0-9a-f]{12}… → sha256:[0-9a-f]{12}…\)/,
  },
  "the base64File": edit(
    { base64File: base64("two") },
    /changed: base64File \(sha256:[0-9a-f]{12}… → sha256:[0-9a-f]{12}…\)/,
  ),
  "the name": edit({ name: "NDA 2" }, /changed: name \("NDA" → "NDA 2"\)/),
  "the description": edit({ description: "One-sided" }, /changed: description \("Mutual" → "One-sided"\)/),
  "the invitations": edit(
    { invitations: [...people, { email: "cleo@example.net", stage: 2 }] },
    /changed: invitations\[2\]/,
    { mails: 3 },
  ),
  "the folderId": {
    before: options => [folder(), nda(options)],
    after: options => [folder(), nda({ ...options, inputs: { folderId: new Ref("folder", "folderId") } })],
    names: /changed: folderId \("" → "\d+"\)/,
  },
  "a forced replacement": {
    before: options => [nda(options)],
    after: options => [nda(options)],
    options: { replace: ["nda"] },
  },
  "a taint": {
    before: options => [nda(options)],
    after: options => [nda(options)],
    prepare: s => s.stack.taint("nda"),
    revert: s => {
      s.stack.entry("nda").taint = false;
    },
  },
  replaceWith: {
    before: options => [folder(), nda({ ...options, replaceWith: ["folder"] })],
    after: options => [folder("Renamed"), nda({ ...options, replaceWith: ["folder"] })],
    folders: 1,
    healsForward: true,
  },
  "a replacementTrigger": {
    before: options => [nda({ ...options, replacementTrigger: "1" })],
    after: options => [nda({ ...options, replacementTrigger: "2" })],
  },
  "another explicit provider": edit({ name: "NDA 2" }, /changed: name/, {
    after: options => [nda({ ...options, provider: "second", inputs: { name: "NDA 2" } })],
  }),
};

/** All that a refusal owes the one who reads it. */
export function refusal(outcome: Outcome, id: string, says: RegExp, names: RegExp | undefined): string[] {
  const text = outcome.error ?? "(no error)";
  const wanted = [
    new RegExp(`document ${id} "NDA"`),
    says,
    /[Nn]o one was mailed/,
    /What you can do:\n {2}- /,
    /ignoreChanges: \["\w+"/,
  ];
  return [...wanted, ...(names ? [names] : [])].filter(each => !each.test(text)).map(each => `${each} not in: ${text}`);
}
