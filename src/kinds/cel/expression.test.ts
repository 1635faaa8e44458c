import { describe, expect, test } from "vitest";
import { compileExpression } from "./expression.ts";
import { DYN, INT, listOf, mapOf, objectOf, optionalOf, STRING, type Type } from "./types.ts";
import { CelError, Optional, type Value } from "./value.ts";

const SELF = objectOf(
  new Map<string, Type>([
    ["replicas", INT],
    ["name", STRING],
    ["missing", STRING],
    ["numbers", listOf(INT)],
    ["labels", mapOf(STRING, STRING)],
    ["any", DYN],
  ]),
);
const VARIABLES = [
  ["self", SELF],
  ["oldSelf", optionalOf(SELF)],
] as const;

const self = new Map<Value, Value>([
  ["replicas", 5n],
  ["name", "aaa"],
  ["numbers", [3n, 1n, 2n]],
  ["labels", new Map<Value, Value>([["a", "b"]])],
  ["any", "text"],
]);

function evaluate(source: string, budget = { left: 1_000_000 }): Value | string {
  const compiled = compileExpression(source, VARIABLES);
  if ("problem" in compiled) return compiled.problem;
  try {
    return compiled.expression.evaluate([self, new Optional()], budget);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return `failed: ${error.message}`;
  }
}

describe("expressions that are true", () => {
  test.each([
    "self.replicas == 5 && self.replicas > 4 && self.replicas >= 5 && self.replicas < 6.5",
    "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && -7 / 2 == -3 && -7 % 3 == -1 && 7.0 / 2.0 == 3.5",
    "2u + 3u == 5u && uint(5) == 5u && int('12') == 12 && double('1.5') == 1.5",
    "!has(self.missing) && has(self.name) && has(self.labels.a) && !has(self.labels.z)",
    "self.?missing.orValue('x') == 'x' && self.labels[?'a'].hasValue()",
    "oldSelf.?name.orValue('none') == 'none' && !oldSelf.hasValue()",
    "optional.of(1).optMap(x, x + 1).value() == 2",
    "optional.none().or(optional.of(3)).value() == 3",
    "[1, ?optional.none(), 2] == [1, 2] && {?'a': optional.none(), 'b': 1} == {'b': 1}",
    "self.numbers.all(x, x > 0) && self.numbers.exists(x, x == 2)",
    "self.numbers.exists_one(x, x > 2) && self.numbers.map(x, x * 2) == [6, 2, 4]",
    "self.numbers.map(x, x > 1, x) == [3, 2] && self.numbers.filter(x, x < 3).size() == 2",
    "self.numbers.all(i, v, i < 3 && v < 4) && self.labels.all(k, v, k == 'a' && v == 'b')",
    "self.numbers.transformList(i, v, i + v) == [3, 2, 4]",
    "self.labels.transformMap(k, v, k + v) == {'a': 'ab'}",
    "self.labels.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
    "'a' in self.labels && 2 in self.numbers && !('x' in ['y'])",
    "self.name.matches('^a+$') && 'abc 123'.find('[0-9]+') == '123'",
    "'123 abc 456'.findAll('[0-9]+') == ['123', '456'] && '1 2 3'.findAll('[0-9]', 2).size() == 2",
    "'héllo'.size() == 5 && 'héllo'.charAt(1) == 'é' && 'héllo'.substring(1, 3) == 'él'",
    "'a,b,c'.split(',') == ['a', 'b', 'c'] && ['a', 'b'].join('-') == 'a-b'",
    "'aba'.indexOf('a', 1) == 2 && 'aba'.lastIndexOf('a') == 2 && 'x'.indexOf('y') == -1",
    "'AbC'.lowerAscii() == 'abc' && 'ab'.upperAscii() == 'AB' && ' x '.trim() == 'x'",
    "'aaa'.replace('a', 'b', 2) == 'bba' && 'abc'.reverse() == 'cba'",
    "'%s has %d, %.2f, %x'.format(['it', 3, 1.5, 255]) == 'it has 3, 1.50, ff'",
    "[1, 2, 2].isSorted() && ![2, 1].isSorted() && [1, 2].sum() == 3 && [1.5, 2.5].sum() == 4.0",
    "[3, 1, 2].min() == 1 && ['a', 'c'].max() == 'c' && [1, 2, 1].lastIndexOf(1) == 2",
    "[1, 2] + [3] == [1, 2, 3] && [3, 1].sort() == [1, 3] && [1, 1, 2].distinct() == [1, 2]",
    "sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1])",
    "duration('1h') > duration('30m') && duration('90m').getHours() == 1",
    "timestamp('2024-02-29T12:00:00Z') + duration('24h') == timestamp('2024-03-01T12:00:00Z')",
    "timestamp('2024-02-29T12:00:00Z').getDayOfYear() == 59",
    "timestamp('2024-01-01T00:30:00Z').getHours('-01:00') == 23",
    "string(timestamp('2024-01-01T00:00:00.5Z')) == '2024-01-01T00:00:00.5Z'",
    "quantity('1Gi').isGreaterThan(quantity('500M')) && quantity('1k') == quantity('1000')",
    "quantity('1500m').add(quantity('500m')).asInteger() == 2 && !isQuantity('1x')",
    "url('https://example.com:80/a?b=c').getHostname() == 'example.com' && isURL('/a')",
    "url('https://example.com:80/a?b=c').getQuery() == {'b': ['c']}",
    "ip('10.0.0.1').family() == 4 && isIP('::1') && !isIP('10.0.0.01') && ip('::1').isLoopback()",
    "cidr('10.0.0.0/8').containsIP('10.2.3.4') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !isCIDR('10.0.0.0/33')",
    "ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')",
    "!format.dns1123Label().validate('a-b').hasValue() && format.named('uuid').hasValue()",
    "format.dns1123Label().validate('A').value().size() == 1",
    "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('v1.2', true).minor() == 2",
    "semver('1.0.0-rc.1').compareTo(semver('1.0.0')) == -1 && !isSemver('1.2')",
    "type(self.replicas) == int && type('a') == string && type(self.any) == string",
    "b'abc' == bytes('abc') && b'\\x61' == b'a' && r'\\n'.size() == 2 && '''a'b''' == \"a'b\"",
    "(self.replicas > 1 ? 'many' : 'one') == 'many' && true || 1 / 0 == 1",
    "self.numbers.exists(x, x == 1 || 1 / 0 == x) && (1 / 0 == 1 || true)",
    "dyn(1) == dyn(1.0) && self.any == 'text' && 0x10 == 16 && 1e3 == 1000.0",
    "[[1, 2], [3]].map(x, x.size()) == [2, 1] && {'a': {'b': 1}}.a.b == 1 // a comment",
    "[1, 2, 3][1] == 2 && {1: 'a'}[1] == 'a' && null == null",
  ])("%s", (source) => {
    expect(evaluate(source)).toBe(true);
  });
});

test.each([
  ["self.foo == 1", "undefined field 'foo'", 5],
  ["foo == 1", "undeclared reference to 'foo' (in container '')", 1],
  ["self.name > 1", "found no matching overload for '_>_' applied to '(string, int)'", 11],
  ["self.replicas == 1.0", "found no matching overload for '_==_' applied to '(int, double)'", 15],
  ["self.name.shout()", "undeclared reference to 'shout' (in container '')", 11],
  ["self.name.all(x, x)", "expression of type 'string' cannot be range of a comprehension", 5],
  ["self.replicas ==", "Syntax error: mismatched input <EOF> expecting an expression", 17],
  ["has(self)", "invalid argument to has() macro", 5],
  ["1 + self.replicas && true", "found no matching overload for '_&&_'", 19],
  ["self.numbers.filter(x, x)", "expected type 'bool' but found 'int'", 14],
])("%s is rejected with the problem and its position", (source, problem, column) => {
  const found = evaluate(source);
  expect(found).toContain(`compilation failed: ERROR: <input>:1:${column}: ${problem}`);
  expect(found).toContain(`\n | ${source}\n | ${".".repeat(column - 1)}^`);
});

test.each([
  ["1 / 0 == 1", "division by zero"],
  ["self.missing == ''", "no such key: missing"],
  ["self.numbers[7] == 1", "index out of bounds: 7"],
  ["9223372036854775807 + 1 > 0", "integer overflow"],
  ["self.any > 1", "no such overload"],
  ["'a'.matches('(')", "missing closing ): `(`"],
])("evaluating %s fails with a message", (source, problem) => {
  expect(evaluate(source)).toMatch(/^failed: /);
  expect(evaluate(source)).toContain(problem);
});

describe("expensive expressions are stopped", () => {
  test.each([
    "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, " +
      "[1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a + b + c + d + e > 0)))))",
    "['xxxxxxxxxxxxxxxxxxxx'].map(a, a+a+a+a+a+a+a+a+a+a).map(b, b+b+b+b+b+b+b+b+b+b)" +
      ".map(c, c+c+c+c+c+c+c+c+c+c).map(d, d+d+d+d+d+d+d+d+d+d).map(e, e+e+e+e)[0].size() > 0",
  ])("%s", (source) => {
    const budget = { left: 20_000 };
    expect(evaluate(source, budget)).toBe(
      "failed: operation cancelled: actual cost limit exceeded",
    );
    expect(budget.left).toBeLessThan(1);
  });

  test("a regular expression with catastrophic backtracking ends in time", () => {
    expect(evaluate(`'${"a".repeat(5000)}!'.matches('^(a+)+$')`)).toBe(false);
  });

  test.each(["1 + ", "true && ", "[1] == "])("a chain of thousands: %s", (link) => {
    expect(evaluate(`${link.repeat(5000)}1`)).toContain("recursion limit exceeded");
  });

  test("a chain of the maximum length is accepted", () => {
    expect(evaluate(`${"1 + ".repeat(400)}1`)).toBe(401n);
  });

  test("an expression that is nested too deeply", () => {
    expect(evaluate(`${"(".repeat(300)}1${")".repeat(300)}`)).toContain("recursion limit exceeded");
  });
});
