import { contractLife } from "./life.js";

// That it compiles is another test's claim, which looks at every example.
const env = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

contractLife("TypeScript", { program: "examples/quickstart-typescript", language: "nodejs", env });
