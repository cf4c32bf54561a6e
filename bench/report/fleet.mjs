// The figures of docs/fleet.md, from docs/bench/fleet.json.

const grouped = count => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

export function fleetFigures({ stacks, documents, sent, requests, parts, load, cores, node }) {
  const chosen = [parts[0], parts[Math.floor(parts.length / 2)], parts.at(-1)];
  const posts = requests["POST /v1/documents"];
  return `Measured by simulation (\`bench/fleet.mjs\`): ${grouped(stacks * documents)} contracts in ${grouped(stacks)} stacks of ${grouped(documents)}, one worker, one stack at a time, an engine that is played, the real queue, journal and client, a service that answers at once; ${cores} cores that others used as well (load ${load.before.toFixed(1)} to ${load.after.toFixed(1)}), Node ${node}. ${grouped(sent)} documents at the service, ${grouped(posts)} creates.

| after | time for each contract | memory in use by the worker, and the provider in it |
|---|---|---|
${chosen.map(({ contracts, msPerContract, memoryMB }) => `| ${grouped(contracts)} contracts | ${msPerContract.toFixed(1)} ms | ${Math.round(memoryMB)} MB |`).join("\n")}`;
}

/** A page with these figures between its marks. */
export function figuresIn(page, figures, name = "fleet") {
  const [begin, end] = [`<!-- ${name}-figures -->`, `<!-- /${name}-figures -->`];
  const [before, rest] = page.split(begin);
  return `${before}${begin}\n${figures}\n${end}${rest.split(end)[1]}`;
}
