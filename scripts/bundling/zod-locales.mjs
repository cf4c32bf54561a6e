// What bundles load as zod's languages: messages are never zod's own, so the forty others stay behind.
export { default as en } from "zod/v4/locales/en.js";
