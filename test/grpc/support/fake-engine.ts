import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import { Empty, engineGrpc } from "../../support/proto.js";

export interface LogLine {
  readonly severity: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly urn: string;
  readonly ephemeral: boolean;
}

const SEVERITIES = ["debug", "info", "warning", "error"] as const;

/** The engine's side of the log. */
export async function fakeEngine() {
  const lines: LogLine[] = [];
  const server = new Server();
  server.addService(engineGrpc.EngineService, {
    log: (call: { request: LogRequest }, answer: (error: null, response: object) => void) => {
      const { request } = call;
      const severity = SEVERITIES[request.getSeverity()];
      lines.push({
        severity,
        message: request.getMessage(),
        urn: request.getUrn(),
        ephemeral: request.getEphemeral(),
      });
      answer(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, number: number) => (error ? reject(error) : resolve(number));
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
  });
  return { address: `127.0.0.1:${port}`, lines, close: async () => server.forceShutdown() };
}
