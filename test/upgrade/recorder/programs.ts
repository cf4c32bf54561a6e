/**
 * One stack of contracts, written for each front end: what a release's state is recorded from. Its gates are satisfied ones:
 * any other looks again at every `up`, which is a change to show.
 */
const pdf = (title: string): string => `%PDF-1.4\n% ${title}\n%%EOF\n`;

const CONTRACTS = { "contracts/nda.pdf": pdf("Mutual NDA"), "contracts/lease.pdf": pdf("Office lease") };

const yaml = `name: upgrade
runtime: yaml
plugins:
  providers:
    - name: docsign
      path: PLUGIN
resources:
  contracts:
    type: docsign:Folder
    properties:
      name: Contracts
  nda:
    type: docsign:Document
    properties:
      name: Mutual NDA
      description: Between the two parties
      folderId: \${contracts.folderId}
      file:
        fn::fileAsset: ./contracts/nda.pdf
      invitations:
        - { email: ana@example.com, name: Ana Torres, message: Please sign., allowedSignatureTypes: all, stage: 1 }
        - { email: bob@example.org, name: Bob Lindqvist, stage: 2 }
    options:
      deleteBeforeReplace: true
  lease:
    type: docsign:Document
    properties:
      name: Office lease
      description:
        fn::secret: Third floor
      base64File:
        fn::toBase64:
          fn::readFile: ./contracts/lease.pdf
      invitations:
        - email: cleo@example.net
    options:
      deleteBeforeReplace: true
  anaSigned:
    type: docsign:SignatureGate
    properties:
      documentId: \${nda.documentId}
      signers: [ana@example.com]
  leaseSigned:
    type: docsign:SignatureGate
    properties:
      documentId: \${lease.documentId}
      until: all
  firstRound:
    type: docsign:Reminder
    properties:
      documentId: \${nda.documentId}
      minInterval: 0s
      triggers:
        round: first
outputs:
  waitingFor: \${nda.pendingSigners}
  leaseStatus: \${lease.status}
`;

const javascript = `const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");
const docsign = require("pulumi-docsign/dynamic");

const contracts = new docsign.Folder("contracts", { name: "Contracts" });
const nda = new docsign.Document("nda", {
  name: "Mutual NDA",
  description: "Between the two parties",
  folderId: contracts.folderId,
  file: new pulumi.asset.FileAsset("./contracts/nda.pdf"),
  invitations: [
    { email: "ana@example.com", name: "Ana Torres", message: "Please sign.", allowedSignatureTypes: "all", stage: 1 },
    { email: "bob@example.org", name: "Bob Lindqvist", stage: 2 },
  ],
});
const lease = new docsign.Document("lease", {
  name: "Office lease",
  description: pulumi.secret("Third floor"),
  base64File: readFileSync("./contracts/lease.pdf").toString("base64"),
  invitations: [{ email: "cleo@example.net" }],
});
new docsign.SignatureGate("anaSigned", { documentId: nda.documentId, signers: ["ana@example.com"] });
new docsign.SignatureGate("leaseSigned", { documentId: lease.documentId, until: "all" });
new docsign.Reminder("firstRound", { documentId: nda.documentId, minInterval: "0s", triggers: { round: "first" } });
exports.waitingFor = nda.pendingSigners;
exports.leaseStatus = lease.status;
`;

/** The files of the program, by front end. */
export const PROGRAMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plugin: { "Pulumi.yaml": yaml, ...CONTRACTS },
  dynamic: {
    "Pulumi.yaml": "name: upgrade\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.js\n",
    "package.json": "{}\n",
    "index.js": javascript,
    ...CONTRACTS,
  },
};
