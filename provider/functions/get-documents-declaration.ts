import { z } from "zod";
import type { FunctionDeclaration } from "../schema/property.js";
import { placeArguments } from "./arguments.js";
import { listedDocuments } from "./listed-document.js";

export const getDocumentsDeclaration = {
  token: "docsign:index:getDocuments",
  description: `The documents the key can see, of one folder or organization where asked for. The service doesn't show whether its list
is cut into pages: what it answers is what this returns.`,
  inputs: z.object(placeArguments),
  outputs: listedDocuments,
} satisfies FunctionDeclaration;
