import type { CreateAnswer } from "./routes/create-answer.js";

/** How the service behaves where its interface leaves a choice. All of it can be changed while it runs. */
export interface Settings {
  /** `auto`: extended for documents with NOM151 or blockchain data and partially signed ones. */
  form: "auto" | "basic" | "extended";
  /** What `POST /v1/documents` answers. */
  createAnswer: CreateAnswer;
  createStatus: number;
  /** Whether `folder_id` in the create body is acted on. */
  createHonoursFolderId: boolean;
  reminderMethods: readonly ("GET" | "POST")[];
  /** What a reminder with the other method is told. */
  reminderRefusal: 404 | 405;
  certificatesNeedKey: boolean;
  filesNeedKey: boolean;
  /** Leave `sha256` of every file null. */
  nullSha256: boolean;
  /** Whether `files[].signers` lists everybody from the start, or only who has signed. */
  signersListed: "from-the-start" | "when-signed";
  /** Who has an `email` of their own beside `user.email`. */
  signerEmail: "unregistered" | "always" | "never";
  listOrder: "newest-first" | "oldest-first";
  /** New documents can't be read until this much time passed, or this many reads missed them. */
  lag: { ms?: number; requests?: number };
  /** Milliseconds every answer takes. */
  latency: number;
  utcOffsetMinutes: number;
  /** Seconds a login token is good for. */
  tokenLifetime: number;
}

export const defaultSettings: Settings = {
  form: "auto",
  createAnswer: "document",
  createStatus: 201,
  createHonoursFolderId: true,
  reminderMethods: ["POST"],
  reminderRefusal: 405,
  certificatesNeedKey: false,
  filesNeedKey: false,
  nullSha256: false,
  signersListed: "from-the-start",
  signerEmail: "unregistered",
  listOrder: "newest-first",
  lag: {},
  latency: 0,
  utcOffsetMinutes: -360,
  tokenLifetime: 86_400,
};
