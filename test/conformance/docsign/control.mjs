// Asks the sandbox for something: `node control.mjs http://127.0.0.1:4010 fault '{"kind": "never"}'`.
const [base, action, body] = process.argv.slice(2);
const answer = await fetch(`${base}/_sandbox/${action}`, { method: "POST", body });
if (!answer.ok) throw new Error(`${action} was answered ${answer.status}: ${await answer.text()}`);
