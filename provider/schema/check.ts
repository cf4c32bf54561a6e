export * from "../../kit/check.js";
