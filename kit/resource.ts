/** Until the contract itself moves here. */
export * from "../provider/resources/resource.js";
