import type { Example } from "./example.js";
import { output, Spoken } from "./program.js";

const week = new Spoken(
  {
    typescript: "Math.floor(Date.now() / 604_800_000)",
    python: "int(time.time() // 604_800)",
    go: "pulumi.Int(int(time.Now().Unix() / 604_800))",
    csharp: "DateTimeOffset.UtcNow.ToUnixTimeSeconds() / 604_800",
    java: "System.currentTimeMillis() / 604_800_000L",
    yaml: "2026-47 # another value each week",
  },
  { python: "import time", go: "time", csharp: "System" },
);

export const reminder: Example = {
  title: "A reminder each week, until everyone has signed",
  program: {
    resources: [{ name: "weekly", type: "Reminder", inputs: { documentId: "4711", triggers: { week } } }],
    outputs: { reminded: output("weekly", "sent") },
  },
};
