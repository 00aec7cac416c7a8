import { type DescFile, toBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { ReflectionService } from "@grpc/reflection";
import { file_grpc_health_v1_health } from "@toolgate/contract";
import { HealthImplementation } from "grpc-health-check";
import type { GrpcDoor } from "./door.ts";

/** Adds gRPC server reflection (v1 and v1alpha) for these files and for the health service. */
export function addReflection(door: GrpcDoor, files: readonly DescFile[]): void {
  // The health library's own descriptors have relative names, which other clients cannot resolve.
  const all = [...withImports([...files, file_grpc_health_v1_health])];
  const fileDescriptorProtos = all.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
  const definition = { files: { format: "", type: {}, fileDescriptorProtos } };
  new ReflectionService(definition as unknown as ConstructorParameters<typeof ReflectionService>[0]).addToServer({
    addService: door.addService,
  } as Parameters<ReflectionService["addToServer"]>[0]);
}

function withImports(files: readonly DescFile[], found = new Set<FileDescriptorProto>()): Set<FileDescriptorProto> {
  for (const file of files) {
    if (found.has(file.proto)) continue;
    withImports(file.dependencies, found);
    found.add(file.proto);
  }
  return found;
}

/** The standard health service; every name in `services`, and "" for the whole, has the same state. */
export function addHealth(door: GrpcDoor, services: readonly string[]): { set(serving: boolean): void } {
  const names = ["", ...services];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "NOT_SERVING" as const])));
  health.addToServer({ addService: door.addService } as Parameters<HealthImplementation["addToServer"]>[0]);
  return {
    set(serving) {
      for (const name of names) health.setStatus(name, serving ? "SERVING" : "NOT_SERVING");
    },
  };
}
