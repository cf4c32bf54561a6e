/** Stands between the laws and the plugin, and puts one fault into what goes through. */
import { Client, credentials, Metadata, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { type Message, ResourceProviderService } from "../../conformance/messages.js";

// biome-ignore lint/suspicious/noExplicitAny: the generated classes have no common type
type Any = any;

export interface Fault {
  /** What goes wrong, and the law that has to find it. */
  readonly name: string;
  readonly law: string;
  /** In a request, or an answer to it instead of the plugin's. */
  readonly asks?: (method: string, request: Any) => Any;
  readonly answers?: (method: string, answer: Any, request: Any) => void;
  readonly fails?: (error: ServiceError) => void;
}

interface Method {
  readonly path: string;
  readonly responseStream: boolean;
  readonly requestSerialize: (message: Message) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Message;
}

export interface FaultyPlugin extends AsyncDisposable {
  readonly port: number;
  fault: Fault | undefined;
}

/** `engine` is the address that the plugin was started with: it would end with any other. */
export async function faultyPlugin(port: number, engine: string): Promise<FaultyPlugin> {
  const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), unlimited);
  const server = new Server(unlimited);
  const methods = Object.entries(ResourceProviderService as unknown as Record<string, Method>);
  const unary = methods.filter(([, { responseStream }]) => !responseStream);
  const forward =
    (name: string, { path, requestSerialize, responseDeserialize }: Method) =>
    ({ request }: { request: Any }, done: (error: ServiceError | null, answer?: Message) => void) => {
      if (name === "handshake") request.setEngineAddress(engine);
      if (name === "attach") request.setAddress(engine);
      const { fault } = plugin;
      const instead = fault?.asks?.(name, request);
      if (instead) return done(null, instead);
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, answer) => {
        if (error) {
          error.metadata ??= new Metadata();
          fault?.fails?.(error);
          return done(error);
        }
        fault?.answers?.(name, answer, request);
        done(null, answer);
      });
    };
  server.addService(
    ResourceProviderService as never,
    Object.fromEntries(unary.map(([name, method]) => [name, forward(name, method)])) as never,
  );
  const bound = await new Promise<number>((found, failed) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, at) =>
      error ? failed(error) : found(at),
    );
  });
  const plugin: FaultyPlugin = {
    port: bound,
    fault: undefined,
    async [Symbol.asyncDispose]() {
      client.close();
      server.forceShutdown();
    },
  };
  return plugin;
}
