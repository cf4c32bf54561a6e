import type { ServerResponse } from "node:http";

/** Tells pages that are open, as server-sent events, that there is something new to see. */
export class Changes {
  readonly #open = new Set<ServerResponse>();
  #changes = 0;

  tell(): void {
    this.#changes += 1;
    for (const response of this.#open) response.write(`event: change\ndata: ${this.#changes}\n\n`);
  }

  /** Takes the response over until the reader goes away. */
  stream(response: ServerResponse): undefined {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(`retry: 1000\nevent: change\ndata: ${this.#changes}\n\n`);
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
    return undefined;
  }
}
