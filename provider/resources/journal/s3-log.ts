import { setTimeout as wait } from "node:timers/promises";
import { GetObjectCommand, PutObjectCommand, S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { trimmed } from "../../../kit/records.js";
import { isIn, type Lines, LOST } from "./log.js";

type Condition = { readonly IfMatch: string } | { readonly IfNoneMatch: "*" };
const IS_NEW: Condition = { IfNoneMatch: "*" };

/** Of a hundred thousand documents it has about 50 MB. */
const LARGEST = 256 * 1024 * 1024;

/**
 * One object with all lines. It is replaced as a whole, on the condition that it is still the one that was read last: of
 * two who write at the same time one reads again and adds to what the other wrote.
 */
export class S3Log implements Lines {
  readonly isWhole = true;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #key: string;
  #text = "";
  #tag: string | undefined;
  #keepsConditions = false;
  readonly #closing = new AbortController();

  constructor(
    url: string,
    private readonly largest = LARGEST,
  ) {
    const { hostname, pathname, searchParams } = new URL(url);
    this.#bucket = hostname;
    this.#key = `${decodeURIComponent(pathname).replace(/^\/+|(?<!\/)\/+$/g, "")}/docsign-journal.jsonl`.replace(
      /^\//,
      "",
    );
    this.#client = new S3Client({
      ...connectionOf(searchParams),
      // Not every service that speaks S3 knows the newer checksums.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      maxAttempts: 2,
    });
  }

  async exchange(lines: readonly string[]): Promise<readonly string[]> {
    const read = this.#keepsConditions && lines.length > 0 ? [] : await this.#readOn();
    if (lines.length === 0 || isIn(read, lines)) return read;
    if (!this.#keepsConditions) await this.#probe();
    for (let tries = 1; !(await this.#replace(`${this.#text}${lines.join("\n")}\n`)); tries++) {
      await wait(Math.random() * Math.min(20 * tries, 500), undefined, { signal: this.#closing.signal });
      read.push(...(await this.#readOn()));
      if (isIn(read, lines)) return read;
    }
    return [...read, ...lines];
  }

  async compact(snapshot: string): Promise<void> {
    await this.#replace(`${snapshot}\n`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#client.destroy();
  }

  async #readOn(): Promise<string[]> {
    const before = this.#text;
    try {
      const object = { Bucket: this.#bucket, Key: this.#key };
      const answer = await this.#client.send(new GetObjectCommand({ ...object, IfNoneMatch: this.#tag }), {
        abortSignal: this.#closing.signal,
      });
      this.#text = await this.#textOf(answer.Body as AsyncIterable<Uint8Array> | undefined);
      this.#tag = answer.ETag;
    } catch (error) {
      if (statusOf(error) === 304) return [];
      if (statusOf(error) !== 404 || (error as Error).name === "NoSuchBucket") throw error;
      this.#text = "";
      this.#tag = undefined;
    }
    if (this.#text.startsWith(before)) return linesOf(this.#text.slice(before.length));
    return [LOST, ...linesOf(this.#text)];
  }

  /** What lies there may be anybody's, and of any size. */
  async #textOf(body: AsyncIterable<Uint8Array> | undefined): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body ?? []) {
      size += chunk.length;
      this.#refuseLarger(size);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  #refuseLarger(size: number): void {
    if (size > this.largest) throw new Error(`expected a journal of at most ${this.largest} bytes, got a larger one`);
  }

  /** False where somebody was faster. */
  async #replace(text: string): Promise<boolean> {
    // Nobody could read it again.
    this.#refuseLarger(Buffer.byteLength(text));
    const tag = await this.#put(this.#key, text, this.#tag === undefined ? IS_NEW : { IfMatch: this.#tag });
    if (tag === undefined) return false;
    this.#text = text;
    this.#tag = tag;
    return true;
  }

  /** A service that ignores conditions would let one writer undo another's. */
  async #probe(): Promise<void> {
    const put = (condition: Condition) => this.#put(`${this.#key}.probe`, "", condition);
    const isThereTwice = (await put(IS_NEW)) !== undefined && (await put(IS_NEW)) !== undefined;
    if (isThereTwice || (await put({ IfMatch: '"0"' })) !== undefined)
      throw new Error("expected a service that keeps If-None-Match and If-Match, got one that ignores them");
    this.#keepsConditions = true;
  }

  /** The new object's tag; undefined where the condition doesn't hold. */
  async #put(key: string, text: string, condition: Condition): Promise<string | undefined> {
    try {
      const object = { Bucket: this.#bucket, Key: key, Body: text, ContentLength: Buffer.byteLength(text) };
      const command = new PutObjectCommand({ ...object, ...condition });
      return (await this.#client.send(command, { abortSignal: this.#closing.signal })).ETag;
    } catch (error) {
      // 409 while another write is under way; 404 where there is nothing to match.
      if ([404, 409, 412].includes(statusOf(error)) && (error as Error).name !== "NoSuchBucket") return undefined;
      throw error;
    }
  }
}

/** The parameters that Pulumi's own `s3://` back end knows. Credentials and the rest: as AWS's tools find them. */
function connectionOf(query: URLSearchParams): S3ClientConfig {
  const isSet = (...names: string[]) => names.some(name => query.get(name) === "true");
  const endpoint = query.get("endpoint");
  const region = query.get("region") ?? (endpoint === null ? undefined : "us-east-1");
  const profile = query.get("profile") ?? undefined;
  const scheme = isSet("disableSSL", "disable_https") ? "http" : "https";
  return {
    ...(endpoint === null ? {} : { endpoint: /^https?:\/\//.test(endpoint) ? endpoint : `${scheme}://${endpoint}` }),
    ...trimmed({ region, profile }),
    forcePathStyle: endpoint !== null || isSet("s3ForcePathStyle", "use_path_style"),
  };
}

const statusOf = (error: unknown): number =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;

const linesOf = (text: string): string[] => text.split("\n").filter(line => line !== "");
