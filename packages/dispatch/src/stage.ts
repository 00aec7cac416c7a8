/**
 * One concern of a call. A stage may change the call on the way in and the
 * result on the way out, or end the call by throwing a ToolgateError. It calls
 * `next` at most once, unless its name is `retry`.
 *
 * `In`/`Out` is what the stage is handed and answers; `NextIn`/`NextOut` is
 * what it hands on and is answered. A stage in the wrong place does not compile.
 */
export interface Stage<In, Out, NextIn = In, NextOut = Out> {
  readonly name: string;
  run(call: In, next: (call: NextIn) => Promise<NextOut>): Promise<Out>;
}

/** A line of stages in the making: what it is handed at its start, and what it still needs at its end. */
export class Line<In, Out, TailIn, TailOut> {
  readonly names: readonly string[];
  readonly #close: (tail: (call: TailIn) => Promise<TailOut>) => (call: In) => Promise<Out>;

  private constructor(
    names: readonly string[],
    close: (tail: (call: TailIn) => Promise<TailOut>) => (call: In) => Promise<Out>,
  ) {
    this.names = names;
    this.#close = close;
  }

  static start<In, Out>(): Line<In, Out, In, Out> {
    return new Line([], (tail) => tail);
  }

  /** Adds the next stage inwards. */
  add<NextIn, NextOut>(stage: Stage<TailIn, TailOut, NextIn, NextOut>): Line<In, Out, NextIn, NextOut> {
    return new Line([...this.names, stage.name], (tail) => this.#close((call) => stage.run(call, tail)));
  }

  /** Adds a stage that not every gateway has: without it the line is as if it did not exist. */
  addIf(stage: Stage<TailIn, TailOut> | undefined): Line<In, Out, TailIn, TailOut> {
    return stage === undefined ? this : this.add(stage);
  }

  /** Ends the line with what does the work. */
  end(work: (call: TailIn) => Promise<TailOut>): (call: In) => Promise<Out> {
    return this.#close(work);
  }
}
