import { z } from "zod";
import type { FunctionDeclaration } from "../schema/property.js";
import { placeArguments, statusArgument } from "./arguments.js";
import { listedDocuments } from "./listed-document.js";

export const getDocumentsDeclaration = {
  token: "docsign:index:getDocuments",
  description: `The documents the key can see, of one folder or organization where asked for. The service doesn't show whether its list
is cut into pages: \`truncated\` says what is known of that.`,
  inputs: z.object({ ...placeArguments, status: statusArgument }),
  outputs: listedDocuments,
} satisfies FunctionDeclaration;
