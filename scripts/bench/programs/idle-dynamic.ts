// A dynamic provider that does nothing: what the engine and the language host cost by themselves. With BENCH_WAIT it waits
// as long as the service would, and answers with a document.
import * as pulumi from "@pulumi/pulumi";

const { BENCH_PDFS, BENCH_COUNT } = process.env;

const service = () => new Promise(done => setTimeout(done, Number(process.env.BENCH_WAIT ?? 0)));

const provider: pulumi.dynamic.ResourceProvider = {
  create: async () => {
    if (process.env.BENCH_WAIT) await service();
    return { id: "1", outs: JSON.parse(process.env.BENCH_ANSWER ?? "{}") };
  },
  read: async (id, props) => {
    if (process.env.BENCH_WAIT) await service();
    return { id, props };
  },
};

class Document extends pulumi.dynamic.Resource {
  constructor(name: string, args: { name: string; file: string; invitations: object[] }) {
    super(provider, name, args);
  }
}

for (let i = 0; i < Number(BENCH_COUNT); i++) {
  new Document(`contract-${i}`, {
    name: `Contract ${i}`,
    file: `${BENCH_PDFS}/${i}.pdf`,
    invitations: [{ email: "ana@example.com", name: "Ana Torres" }],
  });
}
