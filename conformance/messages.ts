/** The protocol's messages, as Pulumi generates them, and its methods by name. */
import * as engineModule from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import * as pluginModule from "@pulumi/pulumi/proto/plugin_pb.js";
import * as serviceModule from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as providerModule from "@pulumi/pulumi/proto/provider_pb.js";
import * as resourceStatusServiceModule from "@pulumi/pulumi/proto/resource_status_grpc_pb.js";
import * as resourceStatusModule from "@pulumi/pulumi/proto/resource_status_pb.js";
import * as errorsModule from "@pulumi/pulumi/proto/status_pb.js";
import * as emptyModule from "google-protobuf/google/protobuf/empty_pb.js";
import { exportsOf } from "./values.js";

export const rpc = exportsOf(providerModule);
export const plugin = exportsOf(pluginModule);
export const status = exportsOf(errorsModule);
export const { Empty } = exportsOf(emptyModule);
export const { PublishViewStepsResponse } = exportsOf(resourceStatusModule);
export const { ResourceStatusService } = exportsOf(resourceStatusServiceModule) as unknown as {
  ResourceStatusService: object;
};
export const { EngineService } = exportsOf(engineModule);
export const { ResourceProviderService } = exportsOf(serviceModule);

export type * as Rpc from "@pulumi/pulumi/proto/provider_pb.js";

export interface Message {
  serializeBinary(): Uint8Array;
  toObject(): object;
}

interface Method {
  readonly path: string;
  readonly responseStream: boolean;
  readonly requestDeserialize: (bytes: Buffer) => Message;
  readonly responseDeserialize: (bytes: Buffer) => Message;
}

const methods = ResourceProviderService as unknown as Readonly<Record<string, Method>>;

export const METHODS = Object.keys(methods);

export function methodOf(name: string): Method {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) throw new TypeError(`expected one of ${METHODS.join(", ")}, got ${name}`);
  return method;
}
