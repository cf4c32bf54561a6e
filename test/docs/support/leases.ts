import { startSandbox } from "../../../sandbox/index.js";

/** A sandbox with a folder and two signed contracts, for programs that ask for certificates. */
export const startWithLeases = (invitations: { email: string }[]) =>
  startSandbox({
    apiKey: "my-key",
    port: 0,
    seed: 1,
    scenario: {
      folders: [{ name: "Leases" }],
      documents: ["Lease 12", "Lease 13"].map(name => ({
        name,
        folder: "Leases",
        invitations,
        signed: "all" as const,
        certified: true,
      })),
    },
  });
