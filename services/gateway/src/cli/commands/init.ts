export async function initCommand(_o: string, _t: unknown): Promise<number> {
  return 0;
}
