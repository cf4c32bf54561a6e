import * as pulumi from "@pulumi/pulumi";
import { type Kind, tokenOf } from "./front-end.js";

/** The URN this resource would have at the plugin: the same name for both front ends, so that they share one journal. */
export function resourceKey(kind: Kind, name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  const place = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::`;
  const own = `${tokenOf(kind)}::${name}`;
  if (parent === undefined) return `${place}${own}`;
  return pulumi.output(parent.urn).apply(urn => {
    const parents = urn.split("::")[2] ?? "";
    return parents === "" || parents === "pulumi:pulumi:Stack" ? `${place}${own}` : `${place}${parents}$${own}`;
  });
}
