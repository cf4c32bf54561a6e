import type { Dispatcher } from "undici";

export type RemoteFile = { readonly bytes: Uint8Array } | { readonly wrong: string };

const MOST_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;

/**
 * Fetches a public file, as the engine does to hash a remote asset. It carries no credentials of ours, so unlike the
 * service's own answers it may follow redirects.
 */
export async function fetchRemoteFile(address: string, largest: number): Promise<RemoteFile> {
  const { Agent } = await import("undici");
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS } });
  try {
    let url = new URL(address);
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      if (url.protocol !== "https:" && url.protocol !== "http:") {
        return { wrong: `expected https, got a remote asset with a ${url.protocol} address` };
      }
      const answer = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { "accept-encoding": "identity" },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const location = answer.headers["location"];
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === "string") {
        await answer.body.dump();
        url = new URL(location, url);
        continue;
      }
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        return {
          wrong: `expected a PDF there, got a remote asset that ${url.host} answers with status ${answer.statusCode}`,
        };
      }
      return await bounded(answer.body, largest);
    }
    return { wrong: `expected the PDF's own address, got a remote asset behind more than ${MOST_REDIRECTS} redirects` };
  } catch (error) {
    return {
      wrong: `expected a PDF there, got a remote asset that can't be fetched (${String((error as { code?: unknown }).code ?? "no answer")})`,
    };
  } finally {
    await agent.destroy();
  }
}

async function bounded(body: Dispatcher.ResponseData["body"], largest: number): Promise<RemoteFile> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > largest) {
      body.destroy();
      return {
        wrong: `expected a PDF of at most ${Math.floor(largest / 1_000_000)} MB, got a larger one from a remote asset; a local file asset has no such limit`,
      };
    }
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}
