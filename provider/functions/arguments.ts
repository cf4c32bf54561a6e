import { property } from "../schema/property.js";
import { idInput } from "../schema/types.js";

export { idText, type Place, placeArguments, placeFrom } from "../resources/document/place.js";

export const documentIdArgument = property(idInput("a document's id"), { description: "Id of the document." });
