export interface ValidateCommandOptions {
  readonly x?: string;
}
export async function validateCommand(_o: ValidateCommandOptions, _t: unknown): Promise<number> {
  return 0;
}
