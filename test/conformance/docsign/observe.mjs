// What the sandbox holds and has mailed: `node observe.mjs http://127.0.0.1:4010 KEY`.
const [base, key] = process.argv.slice(2);
const text = async (path, headers) => (await fetch(`${base}${path}`, { headers })).text();
process.stdout.write(`${await text("/v1/documents", { "x-api-key": key })}\n${await text("/_sandbox/mails")}\n`);
