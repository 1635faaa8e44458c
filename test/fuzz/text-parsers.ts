/** Parsers of texts: quantities, times, schedules, names, expressions, and user input. */
import { chooseAccess } from "../../src/access/parse-kubeconfig.ts";
import { parseImageReference } from "../../src/agent/runtimes/engine/image-reference.ts";
import { nextTime } from "../../src/api/cron/next-time.ts";
import { parseSchedule } from "../../src/api/cron/schedule.ts";
import { parseGoDuration } from "../../src/api/go-duration.ts";
import { evaluatePath, parsePath } from "../../src/api/json-path.ts";
import { formatQuantity, parseQuantity, storedQuantity } from "../../src/api/quantity.ts";
import { parseTime } from "../../src/api/time.ts";
import { parseAddress, parseCidr } from "../../src/base/address.ts";
import { compileExpression } from "../../src/kinds/cel/expression.ts";
import { DYN, listOf, mapOf, STRING } from "../../src/kinds/cel/types.ts";
import { matchesPattern, patternProblem } from "../../src/kinds/customresource/patterns.ts";
import { formatLedger, parseLedger } from "../../src/ledger/job-ledger.ts";
import { parseScript } from "../../src/runs/compose/parse-script.ts";
import { formatArgument, parseArguments } from "../../src/runs/compose/substitute.ts";
import { decodeInput } from "../../src/runs/list/input.ts";
import { parseJsonLines } from "../../src/runs/list/json-lines.ts";
import { parseLines, parseNulSeparated } from "../../src/runs/list/lines.ts";
import { splitSources } from "../../src/runs/list/products.ts";
import { parseRange } from "../../src/runs/list/range.ts";
import { parseCsv, parseTsv } from "../../src/runs/list/table.ts";
import { parseNamedValues, parseTypedValues } from "../../src/runs/list/values.ts";
import { parseToken } from "../../src/server/tokens/web-token.ts";
import { type FuzzedParser, outcomeOf } from "./parser.ts";

/** A parser that returns a problem, or throws its own error. */
function ofText(
  name: string,
  seeds: readonly string[],
  parse: (text: string) => unknown,
): FuzzedParser {
  return {
    name,
    seeds,
    read: (input) => {
      let found: unknown;
      const outcome = outcomeOf(() => {
        found = parse(input.toString("utf8"));
        return found;
      });
      const { problem } = (found ?? {}) as { readonly problem?: unknown };
      return problem === undefined ? outcome : String(problem);
    },
  };
}

const OBJECT = {
  metadata: { name: "p", labels: { "a.b/c": "d" } },
  items: [{ status: { phase: "Running", n: 1 } }, { status: { phase: "Failed", n: 2 } }],
};

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: c, user: u, namespace: n}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1", certificate-authority-data: YQ==}}]
users:
- name: u
  user:
    token: t
    as: other
    as-groups: [g]
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: x
      args: [y]
      interactiveMode: Never
`;

const NOW_MS = Date.UTC(2026, 0, 1);
const VOCABULARY = { names: ["item", "size"], aliases: new Map([["{}", "item"]]) };

const VALUES: readonly FuzzedParser[] = [
  ofText("quantity", ["1.5Gi", "100m", "-1e3", "12E", "0.000000001", "1e-9", "+5Ki"], (text) => {
    const quantity = parseQuantity(text);
    if ("problem" in quantity) return quantity;
    const stored = storedQuantity(text);
    if (typeof stored !== "string") return stored;
    const again = parseQuantity(formatQuantity(quantity));
    if ("problem" in again || again.nanos !== quantity.nanos) throw new TypeError("another amount");
    return stored;
  }),
  ofText("time", ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678901+02:00"], (text) =>
    parseTime(text),
  ),
  ofText("duration", ["1h15m30.5s", "-1.5h", "10ms", "1µs"], parseGoDuration),
  ofText("schedule", ["*/5 * * * *", "@hourly", "@every 1h", "TZ=UTC 0 0 1 1 MON-FRI"], (text) => {
    const parsed = parseSchedule(text);
    if ("problem" in parsed) return parsed;
    return nextTime(parsed, NOW_MS, "UTC") ?? "never";
  }),
  ofText("address", ["127.0.0.1", "::ffff:1.2.3.4", "fe80::1"], parseAddress),
  ofText("range-of-addresses", ["10.0.0.0/8", "fd00::/8"], parseCidr),
  ofText("image-reference", ["nginx", "a.io:5000/b/c:d@sha256:ab", "localhost/x"], (text) =>
    parseImageReference(text),
  ),
  ofText("web-token", ["e30.e30.e30", "eyJhbGciOiJub25lIn0.eyJpc3MiOiJ4In0.YQ"], (text) =>
    parseToken(text, "x"),
  ),
  ofText("kubeconfig", [KUBECONFIG], (text) => chooseAccess([{ directory: "/", text }], undefined)),
];

const EXPRESSIONS: readonly FuzzedParser[] = [
  ofText(
    "json-path",
    [
      ".items[?(@.status.phase=='Running')].status.n",
      "$..phase",
      ".items[*]['status','metadata']",
      ".items[-1:].status",
      ".metadata.labels.a\\.b/c",
    ],
    (text) => evaluatePath(parsePath(text), { root: OBJECT, current: OBJECT }),
  ),
  ofText(
    "cel",
    [
      "self.list.all(x, x.size() < 10) && has(self.map.a)",
      "self.text.matches('^[a-z]+$') ? 1 + 2 : int('3')",
      "['a', b'c', 1u, 2.5, null].exists_one(x, x == 'a')",
      "duration('1h') > duration('1m') || timestamp('2026-01-01T00:00:00Z').getFullYear() == 2026",
      "'%s %d'.format(['a', 1]) + \"\\u00e9\" + r'\\n'",
      "quantity('1Gi').isGreaterThan(quantity('1Mi')) && {'a': [1]}.a[0] == 1",
    ],
    (text) => {
      const type = mapOf(STRING, DYN);
      const compiled = compileExpression(text, [
        ["self", type],
        ["list", listOf(DYN)],
      ]);
      if ("problem" in compiled) return compiled;
      const self = new Map([["text", "abc"]]);
      return compiled.expression.evaluate([self, ["a", "b"]], { left: 100_000 });
    },
  ),
  ofText("pattern", ["^[a-z]([-a-z0-9]*[a-z0-9])?$", "(a+)+$", "\\d{1,3}|\\p{Greek}"], (text) => {
    const problem = patternProblem(text);
    if (problem !== undefined) return { problem };
    return matchesPattern(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab".repeat(3));
  }),
];

/** A parser of files or command lines. */
function ofInput(
  name: string,
  seeds: readonly string[],
  parse: (input: { readonly source: string; readonly text: string }) => unknown,
): FuzzedParser {
  return {
    name,
    seeds,
    read: (bytes) => outcomeOf(() => parse(decodeInput({ source: "f", bytes }))),
  };
}

const RULES = { byLines: false, mayBeEmpty: false };

const INPUTS: readonly FuzzedParser[] = [
  ofInput("csv", ['a,b\n1,"2,\n""3"""\n', "\ufeffname;size\r\nx;1\r\n", "a\n\n"], parseCsv),
  ofInput("tsv", ["a\tb\n1\t2\n"], parseTsv),
  ofInput("json-lines", ['{"a":1,"b":[2]}\n{"a":"x","b":null}\n', '"a"\n2\n'], parseJsonLines),
  ofInput("lines", ["a\nb c\r\n\n"], parseLines),
  ofInput("nul-separated", ["a\0b\nc\0"], parseNulSeparated),
  ofText("number-range", ["1-100", "0-90:10", "1,3,7-9", "-5..5"], parseRange),
  ofText("typed-values", ["a b c", "a\nb", "''"], (text) => parseTypedValues(text, RULES)),
  ofText("named-values", ['KEY="a b"', "KEY=@file"], parseNamedValues),
  ofText("command-line", ["convert {} -resize {size} $item", "sh -c echo $(x)"], (text) =>
    parseArguments(text.split(" "), VOCABULARY).map(formatArgument),
  ),
  ofText("sources-of-a-command-line", ["echo ::: a b :::+ c d :::: f"], (text) =>
    splitSources(text.split(" ")),
  ),
];

const SCRIPT = `#!/bin/sh
# list {"parameters":["item","size"],"derived":["item"]}
case $INDEX in
0) item='a' size='it'\\''s' ;;
1) item='b' size='' set -- 'x' ;;
esac
`;
const LEDGER = `[0,0,"p-0-x","Failed","2026-01-01T00:00:00Z","2026-01-01T00:00:01Z",1,"Error","n"]
[1,0,"p-1-x","Succeeded"]`;

/** Parsers of data that other programs may have written into objects of a cluster. */
const OBJECTS: readonly FuzzedParser[] = [
  ofText("script-of-a-list", [SCRIPT], parseScript),
  ofText("ledger-of-a-job", [LEDGER], (attempts) => {
    const read = parseLedger({ ledger: '{"jobs":["u"],"complete":true}', attempts }, "j");
    return read && formatLedger(read);
  }),
];

export const TEXT_PARSERS: readonly FuzzedParser[] = [
  ...VALUES,
  ...EXPRESSIONS,
  ...INPUTS,
  ...OBJECTS,
];
