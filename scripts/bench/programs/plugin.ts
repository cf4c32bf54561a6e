import * as pulumi from "@pulumi/pulumi";
import * as docsign from "pulumi-docsign";

const { BENCH_PDFS, BENCH_COUNT } = process.env;

for (let i = 0; i < Number(BENCH_COUNT); i++) {
  new docsign.Document(`contract-${i}`, {
    name: `Contract ${i}`,
    file: new pulumi.asset.FileAsset(`${BENCH_PDFS}/${i}.pdf`),
    invitations: [{ email: "ana@example.com", name: "Ana Torres" }],
  });
}
