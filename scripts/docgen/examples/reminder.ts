import type { Example } from "./example.js";
import { output } from "./program.js";

export const reminder: Example = {
  title: "A reminder each week, until everyone has signed",
  program: {
    resources: [{ name: "weekly", type: "Reminder", inputs: { documentId: "4711", every: "7d" } }],
    outputs: { reminded: output("weekly", "sent") },
  },
};
