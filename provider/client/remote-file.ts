import type { Dispatcher } from "undici";

export type RemoteFile = { readonly bytes: Uint8Array } | { readonly wrong: string };

const MOST_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;

/**
 * Fetches a public file, as the engine does to hash a remote asset. It carries no credentials of ours, so unlike the
 * service's own answers it may follow redirects.
 */
export async function fetchRemoteFile(address: string, largest: number): Promise<RemoteFile> {
  const { Agent, request } = await import("undici");
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS } });
  try {
    let url = new URL(address);
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      if (url.protocol !== "https:" && url.protocol !== "http:") {
        return { wrong: `given a remote asset with a ${url.protocol} address; wanted https` };
      }
      const answer = await request(url, {
        dispatcher: agent,
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
          wrong: `given a remote asset that ${url.host} answers with status ${answer.statusCode}; wanted a PDF there`,
        };
      }
      return await bounded(answer.body, largest);
    }
    return { wrong: `given a remote asset behind more than ${MOST_REDIRECTS} redirects; wanted the PDF's own address` };
  } catch (error) {
    return {
      wrong: `given a remote asset that can't be fetched (${String((error as { code?: unknown }).code ?? "no answer")}); wanted a PDF there`,
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
        wrong: `given a remote asset of more than ${Math.floor(largest / 1_000_000)} MB; wanted a smaller PDF, or a local file asset, which has no such limit`,
      };
    }
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks) };
}
