import { contractLife } from "./life.js";

contractLife("Go", { program: "examples/quickstart-go", language: "go" });
