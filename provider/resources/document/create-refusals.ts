import type { Attempt } from "../journal/contract.js";
import { Refusal, type Remedy } from "../refusal.js";
import { documentDeclaration } from "./declaration.js";
import type { Looked } from "./lookup.js";

export function ambiguousCreate(
  urn: string,
  attempt: Attempt,
  looked: Looked & { kind: "found" | "ambiguous" },
): Refusal {
  const [first] = looked.documents;
  return new Refusal(
    {
      cause: "create-ambiguous",
      headline: "the document was sent once, and the service has some that may be it. Nothing more was created.",
      details: looked.documents.map(
        ({ id, status, createdAt }) => `document ${id}, ${status}, created ${createdAt ?? "at an unknown time"}`,
      ),
      remedies: [
        ...(first ? [{ kind: "import", token: documentDeclaration.token, id: first.id } satisfies Remedy] : []),
        { kind: "forget", token: attempt.token, effect: "if none of them is, create a new one, which mails people" },
      ],
    },
    urn,
  );
}

export function createUnderWay(urn: string): Refusal {
  return new Refusal(
    {
      cause: "create-elsewhere",
      headline: "another run is creating this resource at this moment. Nothing was sent.",
      remedies: [{ kind: "advice", text: "wait until that run has ended, and run `pulumi up` again" }],
    },
    urn,
  );
}

export function cancelledCreate(urn: string): Refusal {
  return new Refusal(
    {
      cause: "cancelled-create",
      headline: "cancelled while the document was being created, so it isn't known whether the service has it.",
      remedies: [{ kind: "advice", text: "run `pulumi up` again: it is looked for before anything is sent" }],
    },
    urn,
  );
}
