import { type IndependentServiceOptions, startIndependentService } from "./independent-service.js";

/**
 * The service in a process of its own. Options come as JSON (bigints as text); `{url, apiKey, pid}` goes out as one line.
 * It ends with its stdin, and then says in a second line what it has seen.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const bigints = (key: string, value: unknown): unknown =>
    key === "firstId" || key === "idStep" ? BigInt(String(value)) : value;
  await using service = await startIndependentService(
    JSON.parse(argv[0] ?? "{}", bigints) as IndependentServiceOptions,
  );
  const { url, apiKey, ledger } = service;
  const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
  say({ url, apiKey, pid: process.pid });
  for await (const _ of process.stdin) {
    // Nothing to read; only the end counts.
  }
  const requests = ledger.requests().map(({ operation, status, outcome }) => ({ operation, status, outcome }));
  say({ requests, documents: ledger.documents(), duplicates: ledger.duplicates(), mails: ledger.mails() });
}
