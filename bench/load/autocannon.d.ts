/** The part of autocannon that is used here; the package brings no types. */
declare module "autocannon" {
  interface Options {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly amount: number;
    readonly connections: number;
  }
  interface Run extends PromiseLike<unknown> {
    on(event: "response", listener: (client: unknown, status: number, bytes: number, ms: number) => void): void;
  }
  export default function autocannon(options: Options): Run;
}
