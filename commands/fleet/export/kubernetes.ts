import { stringify } from "yaml";
import { CommandError } from "../../cli/flags/errors.js";
import type { FleetPlan, PlannedStack } from "../plan.js";

/** Where the operator finds the program. */
export interface Source {
  readonly source: string;
  readonly branch: string;
  /** The fleet file in it. */
  readonly file?: string;
}

const LONGEST_NAME = 63;

/** A `Stack` of the Pulumi Kubernetes Operator for each stack, with the `Workspace` that it makes. */
export function kubernetesObjects(plan: FleetPlan, { source, branch, file = "fleet.yaml" }: Source): string {
  const { name, program, secrets, secretsProvider } = plan.file;
  const fleet = objectName(name);
  const names = new Map<string, string>();
  const objects = plan.stacks.map(stack => {
    const object = objectName(`${name}-${stack.name}`);
    const other = names.get(object);
    if (other !== undefined)
      throw new CommandError(
        `expected stacks with object names of their own, got ${object} for ${other} and ${stack.name}`,
      );
    names.set(object, stack.name);
    return {
      apiVersion: "pulumi.com/v1",
      kind: "Stack",
      metadata: { name: object, labels: { "app.kubernetes.io/part-of": fleet } },
      spec: {
        stack: stack.name,
        projectRepo: source,
        branch,
        repoDir: program,
        serviceAccountName: fleet,
        envRefs: {
          ...Object.fromEntries(
            Object.entries(stack.env).map(([key, value]) => [key, { type: "Literal", literal: { value } }]),
          ),
          ...Object.fromEntries(secrets.map(key => [key, { type: "Secret", secret: { name: fleet, key } }])),
        },
        config: stack.config,
        ...(secretsProvider === undefined ? {} : { secretsProvider }),
        retryOnUpdateConflict: true,
        destroyOnFinalize: false,
        workspaceTemplate: {
          apiVersion: "auto.pulumi.com/v1alpha1",
          kind: "Workspace",
          spec: {
            serviceAccountName: fleet,
            securityProfile: "restricted",
            ...(stack.file ? { podTemplate: cutting(stack, file) } : {}),
          },
        },
      },
    };
  });
  return objects.map(object => stringify(object, { lineWidth: 0 })).join("---\n");
}

/**
 * Cuts the stack's rows out of the table, before the engine starts and anew for each commit: the operator runs it after the
 * checkout, which it has in /share/source.
 */
const cutting = ({ name }: PlannedStack, file: string) => ({
  spec: {
    initContainers: [
      {
        name: "table",
        image: "node:24",
        workingDir: "/share/source",
        // What comes after the script is $0 and $1 in it, whatever it holds.
        command: ["sh", "-c", CUT, file, name],
        env: [{ name: "HOME", value: "/tmp" }],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        volumeMounts: [{ name: "share", mountPath: "/share" }],
      },
    ],
    // The operator's own, which a pod template has to name.
    containers: [{ name: "pulumi" }],
  },
});

const CUT = 'npm ci --ignore-scripts && npx --no-install docsign fleet export "$1" --tables --file "$0"';

/** A name as Kubernetes takes them. */
function objectName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  if (name.length <= LONGEST_NAME) return name;
  throw new CommandError(`expected an object name of ${LONGEST_NAME} characters at most, got ${name}`);
}
