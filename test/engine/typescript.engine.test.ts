import { contractLife } from "./life.js";

contractLife("TypeScript", { program: "examples/quickstart-typescript", language: "nodejs" });
