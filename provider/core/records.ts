export * from "../../kit/records.js";
