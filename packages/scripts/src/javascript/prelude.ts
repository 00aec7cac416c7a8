/**
 * Runs inside the sandbox before the script, and keeps what it needs of the language to itself. Its value is an object
 * of functions that only the host holds: the script cannot reach them.
 */
export const PRELUDE = `(() => {
  "use strict";
  const { parse, stringify } = JSON;
  const { isFinite } = Number;
  const containers = [Map, Set, WeakMap, WeakSet, Promise, RegExp].map((type) => [type, type.name]);
  const { BigInt, Error, String, TypeError } = globalThis;
  const startsWith = Function.prototype.call.bind(String.prototype.startsWith);
  const slice = Function.prototype.call.bind(String.prototype.slice);
  let problem = "";

  const refuse = (what, key) => {
    problem = key === "" ? what : what + " at " + stringify(key);
    throw problem;
  };
  const checked = (mark) => (key, value) => {
    switch (typeof value) {
      case "number":
        return isFinite(value) ? value : refuse("the number " + value, key);
      case "bigint":
        return mark + value;
      case "function":
      case "symbol":
        return refuse("a " + typeof value, key);
      case "object":
        for (let i = 0; i < containers.length; i += 1)
          if (value instanceof containers[i][0]) return refuse("a " + containers[i][1], key);
        return value;
      default:
        return value;
    }
  };

  return {
    read(text, mark) {
      const revive = (_key, value) =>
        typeof value === "string" && startsWith(value, mark) ? BigInt(slice(value, mark.length)) : value;
      return mark === "" ? parse(text) : parse(text, revive);
    },
    write(value, mark) {
      problem = "";
      try {
        const text = stringify(value, checked(mark));
        if (text === undefined) problem = "nothing (undefined)";
        return text;
      } catch (error) {
        if (error instanceof TypeError && error.message === "circular reference") problem = "a value that contains itself";
        if (problem !== "") return undefined;
        throw error;
      }
    },
    problem: () => problem,
    describe(error) {
      try {
        if (error instanceof Error) return slice(error.name + ": " + error.message, 0, 500);
        return slice(typeof error === "string" ? error : (stringify(error) ?? String(error)), 0, 500);
      } catch {
        return "an error that cannot be shown";
      }
    },
    trace(error) {
      try {
        return error instanceof Error ? slice(String(error.stack), 0, 5000) : "";
      } catch {
        return "";
      }
    },
  };
})()`;
