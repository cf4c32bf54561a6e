import * as pulumi from "@pulumi/pulumi";
import type { FolderOutputs } from "../provider/resources/folder-declaration.js";
import { dynamicTypeOf } from "./front-end.js";
import { briefTraces, isOfKind, optionsOf, outputNames, propsOf } from "./inputs.js";

export interface FolderArgs {
  /** Name of the folder: one line of 1 to 1000 characters. Changing it means a new folder, which is refused while documents are inside. */
  name: pulumi.Input<string>;
}

/** Outputs of a {@link Folder}, in the order the service returns them. */
const OUTPUTS = outputNames<FolderOutputs, Folder>({
  folderId: true,
  name: true,
  ownerId: true,
  ownerType: true,
  creatorId: true,
  createdAt: true,
  updatedAt: true,
  service: true,
});

/**
 * A folder that documents are created in.
 *
 * The service can create folders and nothing else: it has no way to read, list, rename or delete one. A refresh therefore
 * keeps what state says, deleting the resource forgets it, and a changed name is a replacement, which is refused
 * while the folder holds documents.
 *
 * @example
 * ```ts
 * const contracts = new docsign.Folder("contracts", { name: "Contracts 2027" });
 * ```
 */
export class Folder extends pulumi.CustomResource {
  /** Id of the folder: what a document's `folderId` takes. */
  declare readonly folderId: pulumi.Output<string>;
  /** Name of the folder. */
  declare readonly name: pulumi.Output<string>;
  /** Id of the account that owns the folder. */
  declare readonly ownerId: pulumi.Output<string | undefined>;
  /** Kind of owner, such as `User`. */
  declare readonly ownerType: pulumi.Output<string | undefined>;
  /** Id of the user who created the folder. */
  declare readonly creatorId: pulumi.Output<string | undefined>;
  /** When the folder was created. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** When the folder last changed. */
  declare readonly updatedAt: pulumi.Output<string | undefined>;
  /** Origin of the service that holds the folder. */
  declare readonly service: pulumi.Output<string>;

  /**
   * @param name - Name of the resource in the program. It must be unique in the stack.
   * @param args - What the folder is.
   * @param opts - Pulumi's resource options. `deleteBeforeReplace` is set unless you set it; `import` takes a folder that is
   *   already there, by its id.
   */
  constructor(name: string, args: FolderArgs, opts: pulumi.CustomResourceOptions = {}) {
    const back = briefTraces();
    try {
      const props = propsOf("Folder", name, args ?? {}, OUTPUTS, opts);
      super(dynamicTypeOf("Folder"), name, props, optionsOf("Folder", opts));
    } finally {
      back();
    }
  }

  /**
   * A folder that is already there, to read and not to manage. The service can't show folders, so the id takes the name along.
   *
   * @param name - Name of the resource in the program.
   * @param id - The folder's id and name, as `"1234/Contracts 2027"`.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: pulumi.CustomResourceOptions = {}): Folder {
    return new Folder(name, {} as FolderArgs, { ...opts, id });
  }

  /** Whether this is a Folder, also where the SDK is loaded twice. */
  static override isInstance(value: unknown): value is Folder {
    return isOfKind("Folder", value);
  }
}
