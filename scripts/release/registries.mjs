// The registries that a release goes to, on this machine: npm, a wheel index, a Go module proxy, a Maven repository and a server of plugins.
// What isn't ours comes from where it always does: npm is sent on to the registry it is set to, pip and Go ask ours first, and Maven both.
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** Serves `folder` (npm/, wheels/, modules/, maven/, plugins/) until it is closed, and counts what is taken from it. */
export async function startRegistries(folder, upstream) {
  const registries = new Registries(folder, upstream);
  await registries.listen();
  return registries;
}

class Registries {
  #server = createServer((request, response) => {
    this.#answer(request, response).catch(error => {
      response.statusCode ||= 500;
      response.end(error.message);
    });
  });
  /** How often each file was taken. */
  taken = new Map();

  constructor(folder, upstream) {
    this.folder = folder;
    this.upstream = upstream.replace(/\/+$/, "");
  }

  async listen() {
    for (const name of ["npm", "wheels", "modules", "maven", "plugins"])
      await mkdir(join(this.folder, name), { recursive: true });
    await new Promise(resolve => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
  }

  async #answer(request, response) {
    const path = decodeURIComponent(new URL(request.url, this.url).pathname);
    const [, kind, ...rest] = path.split("/");
    if (rest.includes("..")) return end(response, 400);
    if (kind === "npm") return this.#npm(request, response, rest);
    if (kind === "simple") return this.#index(response);
    return this.#file(response, [kind, ...rest].join("/"));
  }

  async #npm(request, response, rest) {
    const name = rest.join("/");
    const file = join(this.folder, "npm", `${name}.json`);
    const own = await readFile(file, "utf8").then(JSON.parse, () => undefined);
    if (request.method === "PUT") return this.#publish(response, await bodyOf(request), file, own);
    if (own) return json(response, own);
    if (rest[0] === "-files") return this.#file(response, `npm/${name}`);
    response.writeHead(302, { location: `${this.upstream}${request.url.slice("/npm".length)}` }).end();
  }

  /** As npm publishes: the package's description with the tarball inside. */
  async #publish(response, { _attachments, ...described }, file, own) {
    for (const [version, manifest] of Object.entries(described.versions)) {
      if (own?.versions[version]) return json(response, { error: `${version} is published already` }, 403);
      const [{ data }] = Object.values(_attachments);
      const tarball = `${described.name}-${version}.tgz`;
      await mkdir(join(this.folder, "npm", "-files"), { recursive: true });
      await writeFile(join(this.folder, "npm", "-files", tarball), Buffer.from(data, "base64"));
      manifest.dist.tarball = `${this.url}/npm/-files/${tarball}`;
    }
    const versions = { ...own?.versions, ...described.versions };
    await writeFile(file, JSON.stringify({ ...own, ...described, versions }));
    json(response, { success: true }, 201);
  }

  async #index(response) {
    const links = (await readdir(join(this.folder, "wheels"))).map(name => `<a href="/wheels/${name}">${name}</a>`);
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>\n${links.join("\n")}\n`);
  }

  async #file(response, path) {
    const file = join(this.folder, path);
    const info = await stat(file).catch(() => undefined);
    if (!info?.isFile()) return end(response, 404);
    this.taken.set(path, (this.taken.get(path) ?? 0) + 1);
    response.writeHead(200, { "content-length": info.size });
    await pipeline(createReadStream(file), response);
  }

  async [Symbol.asyncDispose]() {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

function end(response, status) {
  response.writeHead(status).end();
}

function json(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
