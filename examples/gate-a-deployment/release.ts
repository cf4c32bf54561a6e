import { rmSync, writeFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";

const provider: pulumi.dynamic.ResourceProvider = {
  async create({ version }) {
    writeFileSync("live.txt", `${version}\n`);
    return { id: "live", outs: { version } };
  },
  async delete() {
    rmSync("live.txt", { force: true });
  },
};

/** A release that is live once its version stands in live.txt. */
export class Release extends pulumi.dynamic.Resource {
  constructor(name: string, args: { version: string }, opts: pulumi.CustomResourceOptions) {
    super(provider, name, args, opts);
  }
}
