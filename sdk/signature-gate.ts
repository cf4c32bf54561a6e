import * as pulumi from "@pulumi/pulumi";
import type { GateOutputs } from "../provider/resources/signature-gate/declaration.js";
import { dynamicTypeOf } from "./front-end.js";
import { briefTraces, isOfKind, optionsOf, outputNames, propsOf } from "./inputs.js";
import type { BlockchainCertificates, GateCondition, GateMode } from "./types.js";

export interface SignatureGateArgs {
  /**
   * Id of the document to wait for, such as `nda.documentId`. Another one is a new gate. Give either this or `documentIds`.
   */
  documentId?: pulumi.Input<string | number>;
  /**
   * Ids of several documents to wait for, all of them or `minimum` of them. Another list is looked at anew, in place.
   */
  documentIds?: pulumi.Input<pulumi.Input<string | number>[]>;
  /** How many of `documentIds` are enough. Left out, all of them. */
  minimum?: pulumi.Input<number>;
  /**
   * What has to be there: `signed` (everyone has signed the latest version), `nom151` (the NOM151 certificate),
   * `blockchain` (both blockchain certificates), `all` of it, or `expiresAt` (the contract's end, by the service's clock).
   * Default: `signed`.
   */
  until?: pulumi.Input<GateCondition>;
  /**
   * With `until: "expiresAt"` and `documentId`: the last day of the contract, such as `nda.expiresAt`. The gate opens once it
   * is over, at the offset of the service's timestamps; `signers` given as well, those signatures count too.
   */
  expiresAt?: pulumi.Input<string | undefined>;
  /** How much sooner than after `expiresAt` the gate opens, such as `"30d"`: when the contract is to be renewed. */
  renewBefore?: pulumi.Input<string | undefined>;
  /**
   * What happens while it isn't there: `observe` says so and goes on, `wait` waits up to `customTimeouts` (24 hours where
   * none is set), `require` fails. Default: `observe`.
   */
  mode?: pulumi.Input<GateMode>;
  /** Whose signatures are waited for, by e-mail address, at least one. Left out, everyone's. */
  signers?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Until when people have time: a date such as `2027-03-01` (its end, at the offset of the service's timestamps), a moment
   * such as `2027-03-01T12:00:00Z`, or a time after the document's creation such as `30d`. Past it, a gate that isn't
   * satisfied fails for good with `wait` and `require`, and says who is late. Left out, there is none.
   */
  deadline?: pulumi.Input<string>;
  /**
   * With `wait`, the pause between two questions to the service for as long as people act: a duration such as `"30s"`, a bare
   * number is seconds, a second at least. After a quiet time it is a tenth of that time, up to five minutes. Default: `10s`.
   */
  pollInterval?: pulumi.Input<string | number>;
}

/** Outputs of a {@link SignatureGate}. */
const OUTPUTS = outputNames<GateOutputs, SignatureGate>({
  documentId: true,
  satisfied: true,
  satisfiedIds: true,
  status: true,
  pendingSigners: true,
  missing: true,
  opensAt: true,
  deadlineAt: true,
  certificates: true,
  nom151Ready: true,
  nom151FileName: true,
  checkedAt: true,
  service: true,
});

/**
 * Holds what depends on it until a document is signed, or certified.
 *
 * A gate that isn't satisfied is looked at again at every `pulumi up`: the preview says who is missing. A satisfied one stays
 * satisfied and asks the service nothing more, except in `pulumi refresh`. A gate never mails anyone and never changes the
 * document; deleting it forgets it.
 *
 * With `mode: "wait"` the row of the gate says who is missing while `pulumi up` waits, for as long as `customTimeouts`
 * allows: `create` where the gate is new, `update` where it goes on waiting. After Ctrl-C or a time-out the next `pulumi up`
 * goes on waiting.
 *
 * In a preview of a gate that is there already its outputs are unknown until it is satisfied; its row says what it waits for.
 *
 * @example
 * ```ts
 * const signed = new docsign.SignatureGate("signed", {
 *   documentId: nda.documentId,
 *   until: "all",
 *   mode: "require",
 * });
 * new github.Repository("project", {}, { dependsOn: [signed] });
 *
 * // `observe` never holds anything back by itself: the program decides.
 * const observed = new docsign.SignatureGate("observed", { documentId: nda.documentId });
 * export const open = observed.satisfied.apply(satisfied => (satisfied ? "everyone has signed" : "still waiting"));
 * ```
 */
export class SignatureGate extends pulumi.CustomResource {
  /** Id of the document. Not there with `documentIds`, like `status` and the certificates. */
  declare readonly documentId: pulumi.Output<string | undefined>;
  /**
   * Whether what the gate waits for is there. Once true it stays true, until `until`, `signers`, `minimum` or `documentIds`
   * changes.
   */
  declare readonly satisfied: pulumi.Output<boolean>;
  /** Documents that have all that the gate waits for. Of `documentIds`, these aren't read again. */
  declare readonly satisfiedIds: pulumi.Output<string[]>;
  /**
   * The document's status, as the service said it when the gate last looked. `satisfied` is counted from the signers,
   * never taken from here.
   */
  declare readonly status: pulumi.Output<string | undefined>;
  /** Addresses of those whose signature is still missing, among `signers` where that is given. Secret where `signers` are. */
  declare readonly pendingSigners: pulumi.Output<string[]>;
  /**
   * What the gate waits for, in words, as it was when the gate last looked. Empty once satisfied. Secret where `signers`
   * are.
   */
  declare readonly missing: pulumi.Output<string[]>;
  /** With `until: "expiresAt"`, the moment after which the gate opens, in UTC. */
  declare readonly opensAt: pulumi.Output<string | undefined>;
  /** The moment `deadline` means for this document, in UTC. */
  declare readonly deadlineAt: pulumi.Output<string | undefined>;
  /** The blockchain certificates of the latest version. */
  declare readonly certificates: pulumi.Output<BlockchainCertificates | undefined>;
  /** Whether the NOM151 certificate is there; `getDocument` and the document itself hold it. */
  declare readonly nom151Ready: pulumi.Output<boolean | undefined>;
  /** File name to offer the NOM151 certificate under, once it is there. */
  declare readonly nom151FileName: pulumi.Output<string | undefined>;
  /** When the gate last found something else than before, by the service's clock. */
  declare readonly checkedAt: pulumi.Output<string>;
  /** Origin of the service that holds the document. */
  declare readonly service: pulumi.Output<string>;

  /**
   * @param name - Name of the resource in the program. It must be unique in the stack.
   * @param args - Which document, and what has to be there.
   * @param opts - Pulumi's resource options. `customTimeouts: { create: "2h", update: "2h" }` says how long `wait` waits.
   *   There is nothing to `import`: a new gate just looks.
   */
  constructor(name: string, args: SignatureGateArgs, opts: pulumi.CustomResourceOptions = {}) {
    const back = briefTraces();
    try {
      const props = propsOf("SignatureGate", name, args ?? {}, OUTPUTS, opts);
      super(dynamicTypeOf("SignatureGate"), name, props, optionsOf("SignatureGate", opts));
    } finally {
      back();
    }
  }

  /**
   * Where a document stands now, without a gate in state: waits for nothing and is satisfied once everyone has signed.
   *
   * @param name - Name of the resource in the program.
   * @param id - Id of the document at the service.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: pulumi.CustomResourceOptions = {}): SignatureGate {
    return new SignatureGate(name, {} as SignatureGateArgs, { ...opts, id });
  }

  /** Whether this is a SignatureGate, also where the SDK is loaded twice. */
  static override isInstance(value: unknown): value is SignatureGate {
    return isOfKind("SignatureGate", value);
  }
}
