export * from "../../kit/property.js";
