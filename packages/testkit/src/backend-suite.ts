import {
  type Backend,
  type ErrorCode,
  type Instance,
  type Invocation,
  type JsonObject,
  type JsonValue,
  parseJson,
  type Reply,
  type Tool,
  ToolgateError,
} from "@toolgate/core";
import { afterEach, describe, expect, it } from "vitest";
import { anInvocation, cancel, timeOut } from "./invocation.ts";

export { anInvocation, cancel, timeOut };

/** What the tool behind a backend does when it is called. */
export type Behaviour =
  /** Answers with its arguments, as one JSON object. */
  | "echo"
  /** Answers with an error of its own that says {@link TOOL_ERROR_TEXT}. */
  | "fail"
  /** Takes the call and never answers. */
  | "silent"
  /** Answers with {@link LARGE_BYTES} bytes of text. */
  | "large"
  /** Answers with {@link BIG_INTEGER_JSON}. */
  | "big-integer"
  /** Takes the call, and then the connection breaks. */
  | "break"
  /** Nobody is there to take a call. */
  | "absent";

export const TOOL_ERROR_TEXT = "the warehouse is closed";
export const LARGE_BYTES = 64 * 1024;
/** From a public bug report: anthropics/claude-code#78762. */
export const BIG_INTEGER_JSON = '{"Id":1917043659912705296}';

/** A backend and a tool with a known behaviour. */
export interface BackendScene {
  readonly backend: Backend;
  /** With the annotations and the bound that were asked for, and a timeout of 5 s. */
  readonly tool: Tool;
  readonly instances?: readonly Instance[];
  /** Calls that the tool has taken so far. */
  taken(): number;
  /** Calls that the tool has seen being given up so far. */
  givenUp(): number;
  /** Ends what the scene runs, but not the backend: the suite closes that. */
  end(): Promise<void>;
}

export interface SceneRequest {
  readonly behaviour: Behaviour;
  readonly annotations: Tool["annotations"];
  readonly maxBytes?: number;
}

/** An ability that not every protocol has. */
export type Ability = "unreachable" | "lost-answer" | "sees-abort" | "big-integers";

export interface BackendHarness {
  scene(request: SceneRequest): Promise<BackendScene>;
  /** For an ability that this backend does not have: why. */
  readonly without?: Partial<Readonly<Record<Ability, string>>>;
}

const IDEMPOTENT = { idempotent: true };
const UNSAID = {};

/** What every backend must do, whatever its protocol. */
export function backendSuite(name: string, harness: BackendHarness): void {
  const opened: BackendScene[] = [];
  const stage = async (behaviour: Behaviour, extra: Partial<SceneRequest> = {}) => {
    const scene = await harness.scene({ behaviour, annotations: UNSAID, ...extra });
    opened.push(scene);
    return new Stage(scene);
  };
  /** A test that only some backends can have; a skip says why. */
  const itIfAble = (ability: Ability, title: string, test: () => Promise<void>) => {
    const why = harness.without?.[ability];
    if (why === undefined) it(title, test);
    else it.skip(`${title} (skipped: ${why})`, test);
  };

  describe(`${name}: the suite of every backend`, () => {
    afterEach(async () => {
      for (const scene of opened.splice(0)) {
        await scene.backend.close();
        await scene.end();
      }
    });

    answers(stage, itIfAble);
    errors(stage, itIfAble);
    givingUp(stage, itIfAble);
    closing(stage);
  });
}

type Open = (behaviour: Behaviour, extra?: Partial<SceneRequest>) => Promise<Stage>;
type ItIfAble = (ability: Ability, title: string, test: () => Promise<void>) => void;

function answers(stage: Open, itIfAble: ItIfAble): void {
  it("finds nothing wrong with a tool that works", async () => {
    const { scene } = await stage("echo");
    expect(scene.backend.inspect(scene.tool)).toEqual([]);
  });

  it("hands arguments over whole and brings the answer back", async () => {
    const args = { text: '読み 🎉 "quoted" \\ \n', count: 3, nested: { list: [1, null, true, "x"], empty: {} } };
    expect(valueIn(await (await stage("echo")).call(args))).toEqual(args);
  });

  itIfAble("big-integers", "keeps every digit of an integer, out and back (anthropics/claude-code#78762)", async () => {
    const args = { id: 1917043659912705296n };
    expect(valueIn(await (await stage("echo")).call(args))).toEqual(args);
    const reply = await (await stage("big-integer")).call({});
    expect(valueIn(reply)).toEqual(parseJson(BIG_INTEGER_JSON));
  });

  it("takes names such as __proto__ for names like any other (node-config/node-config#906)", async () => {
    const args = parseJson('{"__proto__":{"polluted":"yes"},"constructor":"c"}') as JsonObject;
    const echoed = valueIn(await (await stage("echo")).call(args)) as JsonObject;
    expect(Object.keys(echoed).sort()).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  it("leaves the arguments as they were", async () => {
    const args = { b: [2, { c: 3 }], a: "1" };
    const before = structuredClone(args);
    await (await stage("echo")).call(args);
    expect(args).toEqual(before);
  });

  it("does not mix calls that run at the same time", async () => {
    const { call, scene } = await stage("echo");
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const replies = await Promise.all(numbers.map((n) => call({ n, text: `call ${n}` })));
    expect(replies.map(valueIn)).toEqual(numbers.map((n) => ({ n, text: `call ${n}` })));
    expect(scene.taken()).toBe(40);
  });
}

function errors(stage: Open, itIfAble: ItIfAble): void {
  it("tells the tool's own error, readably, after one call", async () => {
    const { failure, scene } = await stage("fail");
    const error = await failure({});
    expect(error.code).toBe("TOOL_ERROR" satisfies ErrorCode);
    expect(error.message).toContain(TOOL_ERROR_TEXT);
    expect(scene.taken()).toBe(1);
  });

  it("refuses an answer beyond the tool's bound, and takes one within", async () => {
    const { failure } = await stage("large", { maxBytes: LARGE_BYTES / 2 });
    const error = await failure({});
    expect(error.code).toBe("RESULT_TOO_LARGE" satisfies ErrorCode);
    expect(error.message).toContain(String(LARGE_BYTES / 2));
    const { call } = await stage("large", { maxBytes: LARGE_BYTES * 2 });
    expect(JSON.stringify(await call({})).length).toBeGreaterThan(LARGE_BYTES);
  });

  itIfAble("unreachable", "says so when nobody is there: not delivered, may be tried again", async () => {
    const error = await (await stage("absent")).failure({});
    expect(error.code).toBe("BACKEND_UNREACHABLE" satisfies ErrorCode);
    expect(error.retryable).toBe(true);
  });

  itIfAble(
    "lost-answer",
    "says that the outcome is unknown when the answer is lost, and sends nothing twice",
    async () => {
      const { failure, scene } = await stage("break");
      expect((await failure({})).code).toBe("OUTCOME_UNKNOWN" satisfies ErrorCode);
      expect(scene.taken()).toBe(1);
    },
  );

  itIfAble("lost-answer", "calls a lost answer of an idempotent tool a timeout, and sends nothing twice", async () => {
    const { failure, scene } = await stage("break", { annotations: IDEMPOTENT });
    expect((await failure({})).code).toBe("BACKEND_TIMEOUT" satisfies ErrorCode);
    expect(scene.taken()).toBe(1);
  });
}

function givingUp(stage: Open, itIfAble: ItIfAble): void {
  it("gives up when the attempt's time is up: the outcome is unknown", async () => {
    const silent = await stage("silent");
    const error = await silent.failureWhen(timeOut);
    expect(error.code).toBe("OUTCOME_UNKNOWN" satisfies ErrorCode);
    expect(error.message).toContain("5 s");
  });

  it("gives up when the attempt's time is up: an idempotent tool may be called again", async () => {
    const silent = await stage("silent", { annotations: IDEMPOTENT });
    expect((await silent.failureWhen(timeOut)).code).toBe("BACKEND_TIMEOUT" satisfies ErrorCode);
  });

  it("gives up when the caller goes away", async () => {
    const silent = await stage("silent");
    expect((await silent.failureWhen(cancel)).code).toBe("CANCELLED" satisfies ErrorCode);
  });

  itIfAble("sees-abort", "stops the work when it gives up", async () => {
    const silent = await stage("silent");
    await silent.failureWhen(cancel);
    await expect.poll(() => silent.scene.givenUp(), { timeout: 5_000 }).toBe(1);
  });

  it("does not call at all for a caller that has gone already", async () => {
    const { failure, scene } = await stage("echo");
    const gone = new AbortController();
    cancel(gone);
    expect((await failure({}, { signal: gone.signal })).code).toBe("CANCELLED" satisfies ErrorCode);
    expect(scene.taken()).toBe(0);
  });

  it("serves the next call after one was given up", async () => {
    const silent = await stage("silent");
    await silent.failureWhen(cancel);
    const { call } = await stage("echo");
    expect(valueIn(await call({ again: true }))).toEqual({ again: true });
  });
}

function closing(stage: Open): void {
  it("closes, also twice, and then refuses calls in words of the contract", async () => {
    const { call, failure, scene } = await stage("echo");
    await call({});
    await scene.backend.close();
    await scene.backend.close();
    expect(await failure({})).toBeInstanceOf(ToolgateError);
    expect(scene.taken()).toBe(1);
  });

  it("leaves no call waiting when it closes", async () => {
    const silent = await stage("silent");
    const failure = silent.failure({});
    await expect.poll(() => silent.scene.taken(), { timeout: 5_000 }).toBe(1);
    await silent.scene.backend.close();
    expect(await failure).toBeInstanceOf(ToolgateError);
  });
}

/** A scene with the verbs of the tests. */
class Stage {
  readonly scene: BackendScene;

  constructor(scene: BackendScene) {
    this.scene = scene;
  }

  readonly call = (args: JsonObject, changes: Partial<Invocation> = {}): Promise<Reply> => {
    const { backend, tool, instances } = this.scene;
    const extra = instances === undefined ? {} : { instances };
    return backend.invoke(anInvocation(tool, args, { ...extra, ...changes }));
  };

  /** The error of a call that must fail; anything but a ToolgateError breaks the port. */
  readonly failure = async (args: JsonObject, changes: Partial<Invocation> = {}): Promise<ToolgateError> => {
    const thrown = await this.call(args, changes).then(
      (reply) => expect.fail(`The call did not fail: ${JSON.stringify(reply).slice(0, 200)}`),
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(ToolgateError);
    return thrown as ToolgateError;
  };

  /** The error of a call that is ended once the tool has taken it. */
  readonly failureWhen = async (end: (attempt: AbortController) => void): Promise<ToolgateError> => {
    const attempt = new AbortController();
    const failure = this.failure({}, { signal: attempt.signal });
    await expect.poll(() => this.scene.taken(), { timeout: 5_000 }).toBe(1);
    end(attempt);
    return failure;
  };
}

function valueIn(reply: Reply): JsonValue {
  return reply.kind === "value" ? reply.value : parseJson(reply.text);
}
