// A command for each document, in Pulumi: what can be had without a provider for the service.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStack } from "./pulumi.mjs";

export const curl = {
  // It reads nothing back.
  phases: ["up", "preview", "changed"],
  open: context =>
    openStack(context, program => {
      const { kit, service, pdfs, cell } = context;
      const resources = {};
      for (let i = 0; i < cell.count; i++) {
        const pdf = join(pdfs.folder, `${i}.pdf`);
        resources[`contract-${i}`] = {
          type: "curl:Command",
          properties: { create: create(service.url, i, pdf), triggers: [{ "fn::fileAsset": pdf }] },
        };
      }
      const plugins = { providers: [{ name: "curl", path: dirname(kit.peers.curl) }] };
      // JSON is YAML.
      writeFileSync(
        join(program, "Pulumi.yaml"),
        JSON.stringify({ name: "contracts", runtime: "yaml", plugins, resources }, null, 1),
      );
    }),
};

function create(service, i, pdf) {
  const body = JSON.stringify({
    name: `Contract ${i}`,
    invitations_attributes: [{ invite_email: "ana@example.com", invite_name: "Ana Torres" }],
    base64_file: "data:application/pdf;base64,",
  });
  const text = `{ printf %s '${body.slice(0, -2)}'; base64 <'${pdf}' | tr -d '\\n'; printf %s '"}'; }`;
  const headers = "-H 'content-type: application/json' -H 'x-api-key: bench'";
  return `${text} | curl -sSf ${headers} --data-binary @- ${service}/v1/documents`;
}
