import { parentPort } from "node:worker_threads";
import type { RenderRequest, Source } from "./source.js";

/*
 * The renderer in a thread of its own: rendering takes the processor for as long as the requests take that send what was
 * rendered, and they go out meanwhile. Whoever starts this file asks with a `Question` each time.
 */

/** Templates and fonts come once, and are known by a number then: what was found out about one is remembered by the object. */
export interface Question {
  readonly id: number;
  readonly ask: "render" | "problemsOf";
  /** Those that are new. */
  readonly shared: readonly (readonly [number: number, Source | Uint8Array])[];
  readonly source: number;
  readonly fonts: readonly { readonly name: string; readonly bytes: number }[];
  readonly options: Omit<RenderRequest, "source" | "fonts">;
  /** Of `problemsOf`. */
  readonly unknown: readonly string[];
}

export type Reply = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: unknown });

const shared = new Map<number, Source | Uint8Array>();

async function answerTo({ ask, source, fonts, options, unknown }: Question): Promise<unknown> {
  const { problemsOf, render } = await import("./render.js");
  const request: RenderRequest = {
    ...options,
    source: shared.get(source) as Source,
    fonts: fonts.map(({ name, bytes }) => ({ name, bytes: shared.get(bytes) as Uint8Array })),
  };
  return ask === "render" ? render(request) : problemsOf(request, unknown);
}

parentPort?.on("message", async (question: Question) => {
  const { id } = question;
  for (const [number, each] of question.shared) shared.set(number, each);
  const reply = await answerTo(question).then(
    (answer): Reply => ({ id, answer }),
    (error: unknown): Reply => ({ id, error }),
  );
  parentPort?.postMessage(reply);
});
