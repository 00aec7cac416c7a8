import { join } from "node:path";
import {
  type DescMessage,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { ReflectionService } from "@grpc/reflection";
import type { JsonObject, Tool } from "@toolgate/core";
import { aTool } from "@toolgate/testkit/builders";
import { KNOWN_FILES } from "../src/grpc/descriptors/known-files.ts";
import { linkFiles } from "../src/grpc/descriptors/link-files.ts";
import { readProtoFile } from "../src/grpc/descriptors/proto-files.ts";
import { type Answer, GrpcServer, type Handle, type SeenCall } from "./grpc-server.ts";

export const PROTO_FILE: string = join(import.meta.dirname, "protos/demo.proto");
const SET = readProtoFile({ file: PROTO_FILE, includeDirs: [] });
/** The descriptors of demo.proto, as the settings of a tool have them. */
export const DESCRIPTORS: string = Buffer.from(SET).toString("base64");
export const FILES: readonly FileDescriptorProto[] = fromBinary(FileDescriptorSetSchema, SET).file;
export const REGISTRY: FileRegistry = registryOf(FILES);

export function registryOf(files: readonly FileDescriptorProto[]): FileRegistry {
  const linked = linkFiles(files);
  if (!linked.ok) throw new Error(linked.why);
  return linked.registry;
}

export function messageOf(name: string): DescMessage {
  const message = REGISTRY.getMessage(name);
  if (message === undefined) throw new Error(`no message ${name}`);
  return message;
}

/** A tool that is a method of demo.v1.Demo. */
export function grpcTool(target: string, settings: JsonObject = {}, changes: Partial<Tool> = {}): Tool {
  const base = { target, method: "demo.v1.Demo/Echo", descriptor_set: DESCRIPTORS };
  return aTool({
    name: "grpc_tool",
    annotations: {},
    timeoutMs: 5_000,
    ...changes,
    backend: { kind: "grpc", name: target, settings: { ...base, ...settings } },
  });
}

/** Answers with JSON of the method's output, a status or bytes. */
type Answering = (
  json: JsonValue,
  call: SeenCall,
) => { json: JsonValue } | Answer | Promise<{ json: JsonValue } | Answer>;

export type DemoMethods = Readonly<Partial<Record<"Echo" | "Types" | "Nothing" | "When" | "Watch", Answering>>>;

/** A server of demo.v1.Demo with these methods; of `files`, where given, it has reflection. */
export async function startDemo(
  methods: DemoMethods,
  files?: readonly FileDescriptorProto[],
  port = 0,
): Promise<GrpcServer> {
  const handles = Object.entries(methods).map(([name, answer]) => [`/demo.v1.Demo/${name}`, handle(name, answer)]);
  const server = await GrpcServer.start(Object.fromEntries(handles), port);
  if (files !== undefined) addReflection(server, files);
  return server;
}

function handle(name: string, answer: Answering): Handle {
  const method = REGISTRY.getService("demo.v1.Demo")?.methods.find((candidate) => candidate.name === name);
  if (method === undefined) throw new Error(`no method ${name}`);
  const registry = REGISTRY;
  return async (call) => {
    const given = await answer(toJson(method.input, fromBinary(method.input, call.message), { registry }), call);
    if (given === undefined || !("json" in given)) return given;
    return Buffer.from(toBinary(method.output, fromJson(method.output, given.json, { registry })));
  };
}

/** The reflection that Node services have. */
function addReflection(server: GrpcServer, files: readonly FileDescriptorProto[]): void {
  const fileDescriptorProtos = [...KNOWN_FILES.values(), ...files].map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file)),
  );
  const definition = { files: { format: "", type: {}, fileDescriptorProtos } };
  const reflection = new ReflectionService(definition as unknown as ConstructorParameters<typeof ReflectionService>[0]);
  const adder = { addService: server.addService.bind(server) };
  reflection.addToServer(adder as unknown as Parameters<ReflectionService["addToServer"]>[0]);
}
