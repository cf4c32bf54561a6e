import { request } from "node:http";

/** A request with exactly these headers; `fetch` chooses Host and Origin by itself. The answer's body isn't waited for. */
export function rawRequest(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers }, response => {
      resolve({ status: response.statusCode ?? 0 });
      response.destroy();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
