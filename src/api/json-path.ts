/** Pure: parses and evaluates a JSONPath, ".items[?(@.status.phase=='Running')].metadata.name". */

/** "$", "@" or nothing, followed by steps. */
export interface Path {
  readonly isFromRoot: boolean;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: "field"; readonly names: readonly string[] }
  | { readonly kind: "wildcard" }
  | { readonly kind: "descend" }
  | { readonly kind: "indexes"; readonly indexes: readonly number[] }
  | { readonly kind: "slice"; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly kind: "filter"; readonly left: Operand; readonly test?: Test };

type Operand = { readonly path: Path } | { readonly value: string | number | boolean | null };

interface Test {
  readonly operator: string;
  readonly right: Operand;
}

export class PathError extends Error {
  override readonly name = "PathError";
}

export function parsePath(text: string): Path {
  const start = /^\s*([$@]?)/.exec(text);
  const steps: Step[] = [];
  let rest = text.slice(start?.[0].length ?? 0).trimEnd();
  // The first field may be written without its dot.
  if (rest !== "" && !/^[.[]/.test(rest)) rest = `.${rest}`;
  while (rest !== "") {
    const { step, length } = readStep(rest);
    steps.push(...step);
    rest = rest.slice(length);
  }
  return { isFromRoot: start?.[1] === "$", steps };
}

interface ReadStep {
  readonly step: readonly Step[];
  readonly length: number;
}

function readStep(text: string): ReadStep {
  if (text.startsWith(".."))
    return { step: [{ kind: "descend" }], length: isBare(text[2]) ? 1 : 2 };
  if (text.startsWith("[")) {
    const inner = /^\[((?:[^[\]"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\])*)\]/.exec(text);
    if (inner === null) throw new PathError("unterminated array");
    return { step: [readBrackets((inner[1] ?? "").trim())], length: inner[0].length };
  }
  const field = /^\.((?:[^.[\]\\\s]|\\.)*)/s.exec(text);
  if (field === null) throw new PathError(`unrecognized character in action: ${text.charAt(0)}`);
  const name = (field[1] ?? "").replace(/\\(.)/gs, "$1");
  if (name === "") return { step: [], length: field[0].length };
  const step: Step = name === "*" ? { kind: "wildcard" } : { kind: "field", names: [name] };
  return { step: [step], length: field[0].length };
}

/** A name after ".." is read as if it started at the second dot. */
function isBare(char: string | undefined): boolean {
  return char !== undefined && char !== "[";
}

function readBrackets(inner: string): Step {
  if (inner === "*") return { kind: "wildcard" };
  const filter = /^\?\((.*)\)$/s.exec(inner)?.[1];
  if (filter !== undefined) return readFilter(filter.trim());
  const names = inner.split(",").map((part) => /^\s*(["'])(.*)\1\s*$/s.exec(part)?.[2]);
  if (names.every((name) => name !== undefined)) return { kind: "field", names };
  const slice = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/.exec(inner);
  if (slice) {
    const [, from, to, by] = slice;
    return {
      kind: "slice",
      ...(from ? { from: Number(from) } : {}),
      ...(to ? { to: Number(to) } : {}),
      by: by ? Number(by) : 1,
    };
  }
  const indexes = inner.split(",").map((part) => Number(/^\s*-?\d+\s*$/.exec(part)?.[0] ?? "x"));
  if (indexes.some(Number.isNaN)) throw new PathError(`invalid array index ${inner}`);
  return { kind: "indexes", indexes };
}

const COMPARISON = /^((?:[^=!<>"']|"[^"]*"|'[^']*')*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$/s;

function readFilter(text: string): Step {
  const [, left, operator, right] = COMPARISON.exec(text) ?? [];
  if (left === undefined || operator === undefined || right === undefined) {
    return { kind: "filter", left: readOperand(text) };
  }
  return { kind: "filter", left: readOperand(left), test: { operator, right: readOperand(right) } };
}

function readOperand(text: string): Operand {
  const trimmed = text.trim();
  const quoted = /^(["'])(.*)\1$/s.exec(trimmed)?.[2];
  if (quoted !== undefined) return { value: quoted };
  if (trimmed === "true" || trimmed === "false") return { value: trimmed === "true" };
  if (trimmed !== "" && !Number.isNaN(Number(trimmed))) return { value: Number(trimmed) };
  return { path: parsePath(trimmed) };
}

export interface PathScope {
  readonly root: unknown;
  readonly current: unknown;
}

/** A few consecutive ".." would find everything many times. */
const MOST_VALUES = 100_000;

/** Returns everything that exists; missing fields are not an error. */
export function evaluatePath({ isFromRoot, steps }: Path, scope: PathScope): readonly unknown[] {
  let values: readonly unknown[] = [isFromRoot ? scope.root : scope.current];
  for (const step of steps) {
    const found: unknown[] = [];
    for (const value of values) {
      for (const each of take(step, value, scope.root)) found.push(each);
      if (found.length > MOST_VALUES) throw new PathError(`more than ${MOST_VALUES} results`);
    }
    values = found;
  }
  return values;
}

function take(step: Step, value: unknown, root: unknown): readonly unknown[] {
  switch (step.kind) {
    case "field":
      return step.names.flatMap((name) => {
        const own = fieldsOf(value).get(name);
        return own === undefined ? [] : [own];
      });
    case "wildcard":
      return childrenOf(value);
    case "descend":
      return [value, ...childrenOf(value).flatMap((child) => take(step, child, root))];
    case "indexes":
      return listOf(value).length === 0 ? [] : step.indexes.flatMap((at) => itemAt(value, at));
    case "slice":
      return sliceOf(listOf(value), step);
    case "filter":
      return childrenOf(value).filter((child) => isMatch(step, { root, current: child }));
  }
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return new Map(isObject ? Object.entries(value) : []);
}

function childrenOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [...fieldsOf(value).values()];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function itemAt(value: unknown, at: number): readonly unknown[] {
  const list = listOf(value);
  const index = at < 0 ? list.length + at : at;
  if (index < 0 || index >= list.length) {
    throw new PathError(`array index out of bounds: index ${at}, length ${list.length}`);
  }
  return [list[index]];
}

function sliceOf(
  list: readonly unknown[],
  { from, to, by }: Extract<Step, { kind: "slice" }>,
): readonly unknown[] {
  return list.slice(from, to).filter((_, at) => by > 0 && at % by === 0);
}

function isMatch({ left, test }: Extract<Step, { kind: "filter" }>, scope: PathScope): boolean {
  const lefts = valuesOf(left, scope);
  if (test === undefined) return lefts.length > 0;
  const rights = valuesOf(test.right, scope);
  if (lefts.length !== 1 || rights.length !== 1) return false;
  return compare(lefts[0], rights[0], test.operator);
}

function valuesOf(operand: Operand, scope: PathScope): readonly unknown[] {
  return "path" in operand ? evaluatePath(operand.path, scope) : [operand.value];
}

function compare(left: unknown, right: unknown, operator: string): boolean {
  if (operator === "==") return left === right;
  if (operator === "!=") return left !== right;
  const isOrdered = typeof left === typeof right && /string|number/.test(typeof left);
  if (!isOrdered) return false;
  const [one, other] = [left as string | number, right as string | number];
  if (operator === "<") return one < other;
  if (operator === ">") return one > other;
  return operator === "<=" ? one <= other : one >= other;
}
