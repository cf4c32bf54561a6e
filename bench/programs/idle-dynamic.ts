// A dynamic provider that does nothing: what the engine and the language host cost by themselves.
import * as pulumi from "@pulumi/pulumi";

const { BENCH_PDFS, BENCH_COUNT } = process.env;

const provider: pulumi.dynamic.ResourceProvider = {
  create: async () => ({ id: "1", outs: {} }),
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
