// A dynamic provider as most people would write their first one: it works, and everything it is given lands in state.
import * as fs from "node:fs";
import * as pulumi from "@pulumi/pulumi";

const { BENCH_PDFS, BENCH_COUNT, DOCSIGN_BASE_URL, DOCSIGN_API_KEY } = process.env;
const headers = { "content-type": "application/json", "x-api-key": DOCSIGN_API_KEY ?? "" };

interface Answer {
  payload: { id: number; status: string };
}

const provider: pulumi.dynamic.ResourceProvider = {
  async create(inputs) {
    const answer = await fetch(`${DOCSIGN_BASE_URL}/v1/documents`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        name: inputs.name,
        invitations_attributes: inputs.invitations,
        base64_file: inputs.base64File,
      }),
    });
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
    const { payload } = (await answer.json()) as Answer;
    return { id: String(payload.id), outs: { ...inputs, status: payload.status } };
  },
  async read(id, props) {
    const answer = await fetch(`${DOCSIGN_BASE_URL}/v1/documents/${id}`, { headers });
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
    const { payload } = (await answer.json()) as Answer;
    return { id, props: { ...props, status: payload.status } };
  },
  async diff(_id, olds, news) {
    const replaces = ["name", "base64File", "invitations"].filter(
      key => JSON.stringify(olds[key]) !== JSON.stringify(news[key]),
    );
    return { changes: replaces.length > 0, replaces };
  },
};

class Document extends pulumi.dynamic.Resource {
  constructor(name: string, args: { name: string; base64File: string; invitations: object[] }) {
    super(provider, name, { ...args, status: undefined });
  }
}

for (let i = 0; i < Number(BENCH_COUNT); i++) {
  const pdf = fs.readFileSync(`${BENCH_PDFS}/${i}.pdf`).toString("base64");
  new Document(`contract-${i}`, {
    name: `Contract ${i}`,
    base64File: `data:application/pdf;base64,${pdf}`,
    invitations: [{ invite_email: "ana@example.com", invite_name: "Ana Torres" }],
  });
}
