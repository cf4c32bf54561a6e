/**
 * Pulumi's own generated messages, which the plugin itself does without: what it writes is read by these, and the other way
 * round. They are CommonJS with computed exports, which Node's ESM loader shows only as `default`.
 */
import * as engineGrpcModule from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import * as pluginModule from "@pulumi/pulumi/proto/plugin_pb.js";
import * as providerGrpcModule from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as providerModule from "@pulumi/pulumi/proto/provider_pb.js";
import * as statusModule from "@pulumi/pulumi/proto/status_pb.js";
import * as anyModule from "google-protobuf/google/protobuf/any_pb.js";
import * as emptyModule from "google-protobuf/google/protobuf/empty_pb.js";
import * as structModule from "google-protobuf/google/protobuf/struct_pb.js";

const exportsOf = <M extends object>(module: M): M => (module as { default?: M }).default ?? module;

export const engineGrpc = exportsOf(engineGrpcModule);
export const plugin = exportsOf(pluginModule);
export const rpcGrpc = exportsOf(providerGrpcModule);
export const rpc = exportsOf(providerModule);
export const rpcStatus = exportsOf(statusModule);
export const { Any } = exportsOf(anyModule);
export const { Empty } = exportsOf(emptyModule);
export const { Struct, Value, ListValue, NullValue } = exportsOf(structModule);

export type * as Rpc from "@pulumi/pulumi/proto/provider_pb.js";
export type { Empty as EmptyMessage } from "google-protobuf/google/protobuf/empty_pb.js";
export type { Struct as StructMessage, Value as ValueMessage } from "google-protobuf/google/protobuf/struct_pb.js";
