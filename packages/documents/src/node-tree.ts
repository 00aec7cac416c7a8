import { type JsonObject, type JsonValue, quotedExcerpt } from "@toolgate/core";
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";

/** More than this deep is refused. */
export const MAX_DEPTH = 100;
/** More values than this, aliases written out, are refused. */
export const MAX_VALUES = 100_000;
const MAX_FAULTS = 20;

export type Path = readonly PropertyKey[];

export interface TreeFault {
  readonly offset: number;
  readonly message: string;
}

const TEMPLATE = /^\{\{[^{}\n]*\}\}$/;
const BUT_ONE = "Every key may occur only once in a map";

/**
 * The nodes of one YAML document: read as JSON, and found again by path.
 * Aliases are written out as values, within {@link MAX_VALUES}.
 */
export class NodeTree {
  readonly #root: Node | null;
  readonly #text: string;
  readonly #targets = new Map<Alias, Node>();
  readonly #faults: TreeFault[] = [];
  readonly #open = new Set<Node>();
  #values = 0;

  constructor(document: Document.Parsed, text: string) {
    this.#root = document.contents;
    this.#text = text;
    // In the order of the text, so that an alias means the anchor before it, also where a name is used again.
    const anchors = new Map<string, Node>();
    visit(document, {
      Node: (_key, node) => {
        const target = isAlias(node) ? anchors.get(node.source) : undefined;
        if (target !== undefined) this.#targets.set(node as Alias, target);
        else if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
      },
    });
  }

  /** The document as JSON; integers beyond 2^53 are `bigint`. With faults, the value must not be used. */
  toJson(): { readonly value: JsonValue; readonly faults: readonly TreeFault[] } {
    const value = this.#convert(this.#root);
    return { value, faults: this.#faults };
  }

  /**
   * Where the value at `path` starts, or its key for "key". Where the path
   * leads out of the document: the last thing on it that there is.
   */
  offsetOf(path: Path, part: "key" | "value"): number {
    let node = this.#target(this.#root);
    let offset = startOf(node) ?? 0;
    for (const [index, step] of path.entries()) {
      const found = this.#child(node, step);
      if (found === undefined) return offset;
      node = this.#target(found.value);
      const wantsKey = part === "key" && index === path.length - 1;
      offset = (wantsKey ? found.key : undefined) ?? startOf(found.value) ?? found.key ?? offset;
    }
    return offset;
  }

  #child(node: Node | null, step: PropertyKey): { key?: number; value: Node | null } | undefined {
    if (isSeq(node)) {
      const item = node.items[Number(step)];
      return item === undefined ? undefined : { value: item as Node };
    }
    if (!isMap(node)) return undefined;
    const pair = node.items.find(({ key }) => isScalar(key) && keyText(key) === String(step));
    if (pair === undefined) return undefined;
    return { key: startOf(pair.key as Node) ?? 0, value: emptyAsNull(pair.value as Node | null) };
  }

  #target(node: Node | null): Node | null {
    return isAlias(node) ? (this.#targets.get(node) ?? node) : node;
  }

  #fault(node: Node | null, message: string): null {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ offset: startOf(node) ?? 0, message });
    return null;
  }

  #convert(given: Node | null): JsonValue {
    const node = this.#target(given);
    if (node === null) return null;
    if (isAlias(node)) return this.#fault(node, `There is no anchor "&${node.source}" before this alias.`);
    this.#values += 1;
    if (this.#values > MAX_VALUES) {
      if (this.#values > MAX_VALUES + 1) return null;
      return this.#fault(given, `The document holds more than ${MAX_VALUES} values, aliases written out.`);
    }
    if (isScalar(node)) return this.#scalar(node);
    if (this.#open.has(node)) return this.#fault(given, "This alias stands inside the very value that it repeats.");
    if (this.#open.size >= MAX_DEPTH) return this.#fault(node, `The document is nested more than ${MAX_DEPTH} deep.`);
    this.#open.add(node);
    const value = isMap(node)
      ? this.#map(node)
      : isSeq(node)
        ? node.items.map((item) => this.#convert(item as Node))
        : null;
    this.#open.delete(node);
    return value;
  }

  #scalar(node: Scalar): JsonValue {
    const { value } = node;
    if (typeof value === "bigint") {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    }
    if (typeof value === "number" && !Number.isFinite(value)) {
      return this.#fault(node, "The number is out of range.");
    }
    return value as JsonValue;
  }

  #map(node: YAMLMap): JsonValue {
    const template = this.#template(node);
    if (template !== undefined) return template;
    const map: JsonObject = {};
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = this.#key(this.#target(key as Node | null), node);
      if (name === undefined) continue;
      if (seen.has(name)) this.#fault(key as Node, `The key ${quote(name)} occurs twice. ${BUT_ONE}.`);
      seen.add(name);
      map[name] = this.#convert(value as Node | null);
    }
    return map;
  }

  #key(key: Node | null, map: Node): string | undefined {
    if (!isScalar(key) || key.value === null) {
      this.#fault(key ?? map, "A key must be text. A value that starts with { or [ must be in quotes.");
      return undefined;
    }
    const name = keyText(key);
    if (name === "__proto__") {
      this.#fault(key, `Unknown key "__proto__".`);
      return undefined;
    }
    if (name === "<<") {
      this.#fault(key, `Unknown key "<<": merge keys are not a part of YAML 1.2. Repeat the keys instead.`);
      return undefined;
    }
    return name;
  }

  /** `{{input.topic}}` without quotes is, read strictly, a map with a map for its key; nobody means that. */
  #template(node: YAMLMap): string | undefined {
    if (node.flow !== true || node.range == null) return undefined;
    const source = this.#text.slice(node.range[0], node.range[1]).trimEnd();
    return TEMPLATE.test(source) ? source : undefined;
  }
}

/** `key:` with nothing behind it has a place of its own in the tree, but people look for the key. */
function emptyAsNull(node: Node | null): Node | null {
  return isScalar(node) && node.value === null && node.source === "" ? null : node;
}

function startOf(node: Node | null): number | undefined {
  return node?.range?.[0];
}

function keyText(key: Scalar): string {
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
}

function quote(text: string): string {
  return quotedExcerpt(text, 64);
}
