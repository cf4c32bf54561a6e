import { contractLife } from "./life.js";

contractLife("Python", { program: "examples/quickstart-python", language: "python" });
