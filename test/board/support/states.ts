const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** As state holds a value that the program keeps secret. */
export const secret = (ciphertext: string) => ({ ...SECRET, ciphertext });

export interface Made {
  readonly type: string;
  readonly name: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
  readonly delete?: boolean;
}

/** What `pulumi stack export` writes of these resources. */
export function exported(stack: string, resources: readonly Made[], time = "2026-11-20T03:00:00Z") {
  const [project = "", name = ""] = stack.split("/");
  return {
    version: 3,
    deployment: {
      manifest: { time, magic: "", version: "v3.250.0" },
      resources: [
        { urn: `urn:pulumi:${name}::${project}::pulumi:pulumi:Stack::${project}-${name}`, type: "pulumi:pulumi:Stack" },
        ...resources.map(({ type, name: own, ...rest }) => ({
          urn: `urn:pulumi:${name}::${project}::${type}::${own}`,
          type,
          custom: true,
          id: String(rest.outputs["documentId"] ?? own),
          ...rest,
        })),
      ],
    },
  };
}

export interface Person {
  readonly email: string;
  readonly name?: string;
  readonly stage?: number;
  readonly signed?: boolean;
}

/** A document as the provider keeps it in state. */
export function document(
  documentId: string,
  name: string,
  people: readonly Person[],
  more: Record<string, unknown> = {},
): Made {
  const signed = people.filter(one => one.signed).length;
  const all = signed === people.length;
  const token = documentId.padStart(24, "0");
  const url = `https://sign.example.com/storage/${token}`;
  return {
    type: "docsign:index:Document",
    name: name.toLowerCase().replace(/\W+/g, "-"),
    inputs: { name, invitations: people.map(({ email, stage }) => ({ email, stage })) },
    outputs: {
      documentId,
      name,
      status: all ? "signed" : signed > 0 ? "partially_signed" : "unsigned",
      allSigned: all,
      signers: people.map(({ email, name: own, stage, signed: has }, index) => ({
        email,
        name: own,
        stage,
        invitationId: `${documentId}${index}`,
        status: has ? "signed" : "unsigned",
      })),
      pendingSigners: people.filter(one => !one.signed).map(one => one.email),
      lastVersion: "1",
      versions: [{ version: "1", signedEndedAt: all ? "2026-11-18T12:00:00.000-06:00" : undefined }],
      fileUrl: `${url}/original.pdf`,
      signedFileUrl: `${url}/signed.pdf`,
      certificates: { status: "not_requested", ready: false },
      nom151: { ready: false },
      createdAt: "2026-11-10T09:00:00.000-06:00",
      supersedes: [],
      drift: [],
      service: "https://sign.example.com",
      ...more,
    },
  };
}

/** Many contracts in all the states they can be in. The same numbers give the same contracts. */
export function manyContracts(count: number, day = Date.parse("2026-11-21T12:00:00Z")): Made[] {
  return Array.from({ length: count }, (_, index) => {
    const person = (role: string, seed: number, stage: number, signed: boolean): Person => {
      const number = seed % 6_000;
      return { email: `${role}.${number}@example.com`.toLowerCase(), name: `${role} ${number}`, stage, signed };
    };
    const state = index % 5;
    const hash = index.toString(16).padStart(64, "ab");
    return document(
      String(5001 + index),
      `Lease of flat ${index + 1}`,
      [person("Tenant", index * 7 + 1, 1, state > 1), person("Landlord", index * 13 + 1, 2, state > 2)],
      {
        createdAt: new Date(day - ((index * 37) % 40) * 86_400_000).toISOString().replace("Z", "+00:00"),
        ...(state === 4 && {
          certificates: {
            status: "sended",
            ready: true,
            btcUrl: `https://sign.example.com/v3/timestamps/${hash}.pdf`,
            ethUrl: `https://sign.example.com/v3/timestamps/eth/${hash}.pdf`,
          },
          nom151: { ready: true },
        }),
        ...(index % 211 === 5 && { drift: ["name"] }),
        ...(index % 307 === 6 && { supersedes: [String(4000 + index)] }),
      },
    );
  });
}
