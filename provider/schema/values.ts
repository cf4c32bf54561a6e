export * from "../../kit/values.js";
