import * as fs from "node:fs";
import * as docsign from "pulumi-docsign";

const { BENCH_PDFS, BENCH_COUNT } = process.env;

for (let i = 0; i < Number(BENCH_COUNT); i++) {
  new docsign.Document(`contract-${i}`, {
    name: `Contract ${i}`,
    base64File: fs.readFileSync(`${BENCH_PDFS}/${i}.pdf`, "base64"),
    invitations: [{ email: "ana@example.com", name: "Ana Torres" }],
  });
}
