/** What is wrong with a proto file or a descriptor set; the message is for whoever wrote it and holds no local path. */
export class ProtoFileProblem extends Error {
  override readonly name = "ProtoFileProblem";
}
