/**
 * Request bodies that are deep, long, ambiguous or malicious; test/http/limits.test.ts has more
 * nesting.
 */
import { expect } from "vitest";
import {
  type Attack,
  CONFIG_MAPS,
  DEFAULT,
  DEFINITIONS,
  expectNothingTold,
  JOBS,
  played,
  request,
} from "./attack.ts";
import { ask } from "./target.ts";

const YAML = { "Content-Type": "application/yaml" };
const PROTOBUF = { "Content-Type": "application/vnd.kubernetes.protobuf" };
const MAGIC = Buffer.from("k8s\0");

const post = (path: string, body: unknown, headers?: { readonly [name: string]: string }) => ({
  method: "POST",
  path,
  body,
  ...(headers && { headers }),
});

const named = (rest: string) => `{"metadata":{"name":"poisoned"},${rest}}`;
const job = (spec: object) => ({
  metadata: { name: "poisoned" },
  spec: {
    template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
    ...spec,
  },
});
const podOf = (spec: object) => ({
  metadata: { name: "poisoned" },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const limitedTo = (cpu: string) =>
  podOf({ containers: [{ name: "c", image: "i", resources: { limits: { cpu } } }] });

const TEXTS: readonly Attack[] = [
  request(
    "JSON of one long number",
    [400, 422],
    post(JOBS, `{"spec":{"completions":${"9".repeat(2_000_000)}}}`),
  ),
  request(
    "YAML of one long number",
    [400, 422],
    post(JOBS, `spec: {completions: ${"9".repeat(2_000_000)}}\n`, YAML),
  ),
  request(
    "a quantity of a million zeros",
    [400, 422],
    post(`${DEFAULT}/pods`, limitedTo(`1${"0".repeat(1_000_000)}e0`)),
  ),
  request(
    "JSON of one long unterminated string",
    400,
    post(CONFIG_MAPS, `{"data":{"a":"${"x".repeat(2_000_000)}`),
  ),
  request(
    "JSON of a million empty objects",
    413,
    post(CONFIG_MAPS, `[${"{},".repeat(700_000)}{}]`),
  ),
  request(
    "JSON of backslashes",
    400,
    post(CONFIG_MAPS, `{"data":{"a":"${"\\".repeat(1_999_999)}"}}`),
  ),
  request(
    "JSON with bytes that are not UTF-8",
    [400, 422],
    post(CONFIG_MAPS, Buffer.from('{"metadata":{"name":"\xff\xfe"}}', "latin1")),
  ),
  request(
    "JSON with half a surrogate pair",
    [400, 422],
    post(CONFIG_MAPS, '{"metadata":{"name":"\\ud800"}}'),
  ),
  request(
    "the same key twice",
    400,
    post(
      `${CONFIG_MAPS}?fieldValidation=Strict`,
      '{"metadata":{"name":"a"},"metadata":{"name":"b"}}',
    ),
  ),
  request(
    "YAML with the same key twice",
    400,
    post(
      `${CONFIG_MAPS}?fieldValidation=Strict`,
      "metadata: {name: a}\nmetadata: {name: b}\n",
      YAML,
    ),
  ),
  request("YAML whose anchors grow ninefold", 400, post(CONFIG_MAPS, laughs(), YAML)),
  request("YAML that contains itself", 400, post(CONFIG_MAPS, "a: &a [*a]\n", YAML)),
  request(
    "YAML merged into itself",
    400,
    post(CONFIG_MAPS, "a: &a {<<: *a, b: c}\nmetadata: *a\n", YAML),
  ),
  request(
    "YAML with a tag for executable code",
    400,
    post(CONFIG_MAPS, "!!js/function 'x'\n", YAML),
  ),
  request(
    "YAML of a hundred thousand question marks",
    413,
    post(CONFIG_MAPS, "? ".repeat(100_000), YAML),
  ),
  request("YAML of a hundred thousand dashes", 413, post(CONFIG_MAPS, "- ".repeat(100_000), YAML)),
  request(
    "two YAML documents in one body",
    [400, 422],
    post(CONFIG_MAPS, "---\nmetadata: {name: A}\n---\nkind: Secret\n", YAML),
  ),
];

/** Each line refers to the one before nine times ("billion laughs"). */
function laughs(): string {
  const lines = ["a0: &a0 [x]"];
  for (let n = 1; n < 15; n++) lines.push(`a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`);
  return lines.join("\n");
}

/** Wraps a message in the envelope of Kubernetes, as field 2. */
function envelope(message: Buffer): Buffer {
  const length: number[] = [];
  for (let left = message.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  return Buffer.concat([MAGIC, Buffer.from([0x12, ...length]), message]);
}

const FULL = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);

const MESSAGES: readonly Attack[] = [
  request("an empty protobuf message", [400, 415, 422], post(CONFIG_MAPS, MAGIC, PROTOBUF)),
  request(
    "a protobuf message whose length is over 64 bits",
    400,
    post(CONFIG_MAPS, Buffer.concat([MAGIC, Buffer.from([0x12]), FULL]), PROTOBUF),
  ),
  request(
    "a protobuf message with a field that is longer than it",
    400,
    post(CONFIG_MAPS, envelope(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f])), PROTOBUF),
  ),
  request(
    "a protobuf message with an unterminated varint",
    400,
    post(CONFIG_MAPS, envelope(Buffer.alloc(1000, 0xff)), PROTOBUF),
  ),
  request(
    "a protobuf message with field number 0",
    400,
    post(CONFIG_MAPS, envelope(Buffer.from([0x00, 0x00])), PROTOBUF),
  ),
  request(
    "a protobuf message with unclosed groups",
    400,
    post(CONFIG_MAPS, envelope(Buffer.alloc(200_000, 0x0b)), PROTOBUF),
  ),
  request(
    "a protobuf message with very deep nesting",
    [400, 422],
    post(CONFIG_MAPS, envelope(nestedMessage(5_000)), PROTOBUF),
  ),
];

function nestedMessage(depth: number): Buffer {
  let inner = Buffer.alloc(0);
  for (let at = 0; at < depth && inner.length < 16_000; at++) {
    const head =
      inner.length > 127
        ? [0x0a, (inner.length & 127) | 128, inner.length >> 7]
        : [0x0a, inner.length];
    inner = Buffer.concat([Buffer.from(head), inner]);
  }
  return inner;
}

const deep = (depth: number, inner: string) =>
  `${'{"a":'.repeat(depth)}${inner}${"}".repeat(depth)}`;

const DEEP: readonly Attack[] = [
  ["in an unknown field", `{"metadata":{"name":"deep"},"unknown":${deep(9_900, "1.5")}}`],
  [
    "in managedFields",
    `{"metadata":{"name":"deep","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${deep(9_900, "{}")}}]}}`,
  ],
  ["in place of a string", `{"metadata":{"name":"deep"},"data":{"a":${deep(9_900, "1")}}}`],
].map(([where, body]) =>
  played(`nine thousand levels ${where}`, async (target) => {
    const answer = await ask(target, post(`${CONFIG_MAPS}?dryRun=All`, body));
    expect([201, 400, 422], answer.text.slice(0, 200)).toContain(answer.status);
    expectNothingTold(answer);
  }),
);

const VALUES: readonly Attack[] = [
  request(
    "more completions than an int32 can hold",
    [400, 422],
    post(JOBS, job({ completions: 2 ** 31 })),
  ),
  request("a fractional number of completions", [400, 422], post(JOBS, job({ completions: 1.5 }))),
  request("a negative number of completions", 422, post(JOBS, job({ completions: -1 }))),
  request(
    "a quantity with a million digits",
    [400, 422],
    post(`${DEFAULT}/pods`, limitedTo(`-${"9".repeat(1_000_000)}`)),
  ),
  request(
    "a quantity with an exponent of a billion",
    [400, 422],
    post(`${DEFAULT}/pods`, limitedTo("-1e999999999")),
  ),
  request(
    "an invalid time",
    400,
    post(CONFIG_MAPS, { metadata: { name: "poisoned", creationTimestamp: "9".repeat(100_000) } }),
  ),
  request(
    "a name with look-alike letters",
    422,
    post(CONFIG_MAPS, { metadata: { name: "vіctim" } }),
  ),
  request(
    "a name with a right-to-left override",
    422,
    post(CONFIG_MAPS, { metadata: { name: "a\u202etxt" } }),
  ),
  request(
    "a name with an invisible character",
    422,
    post(CONFIG_MAPS, { metadata: { name: "a\u200bb" } }),
  ),
  request("a name with a NUL", 422, post(CONFIG_MAPS, { metadata: { name: "a\0b" } })),
  request(
    "a name of two hundred and fifty-four letters",
    422,
    post(CONFIG_MAPS, { metadata: { name: "a".repeat(254) } }),
  ),
  request(
    "a label __proto__",
    422,
    post(CONFIG_MAPS, named('"metadata":{"name":"poisoned","labels":{"__proto__":"x"}}')),
  ),
  request(
    "annotations of a megabyte",
    422,
    post(CONFIG_MAPS, {
      metadata: { name: "poisoned", annotations: { a: "x".repeat(1_000_000) } },
    }),
  ),
  request(
    "an empty owner reference",
    422,
    post(CONFIG_MAPS, { metadata: { name: "poisoned", ownerReferences: [{}] } }),
  ),
  request(
    "five thousand ports of the same name",
    422,
    post(
      `${DEFAULT}/pods`,
      podOf({
        containers: [
          {
            name: "c",
            image: "i",
            ports: Array.from({ length: 5_000 }, () => ({ name: "p", containerPort: 1 })),
          },
        ],
      }),
    ),
  ),
  request(
    "five thousand containers of the same name",
    422,
    post(
      `${DEFAULT}/pods`,
      podOf({ containers: Array.from({ length: 5_000 }, () => ({ name: "c", image: "i" })) }),
    ),
  ),
  request(
    "a long schedule that never occurs, with a step of 0",
    422,
    post("/apis/batch/v1/namespaces/default/cronjobs", {
      metadata: { name: "poisoned" },
      spec: {
        schedule: `${"0,".repeat(100_000)}0 0 31 2 */0`,
        jobTemplate: { spec: job({}).spec },
      },
    }),
  ),
  request(
    "a pattern that takes exponential time",
    422,
    post(
      DEFINITIONS,
      definition({ type: "string", pattern: "(((((a{1000}){1000}){1000}){1000}){1000})" }),
    ),
  ),
  request(
    "an invalid pattern",
    422,
    post(DEFINITIONS, definition({ type: "string", pattern: "(".repeat(10_000) })),
  ),
  request(
    "a rule of ten thousand parentheses",
    422,
    post(
      DEFINITIONS,
      definition({
        type: "string",
        "x-kubernetes-validations": [{ rule: `${"(".repeat(10_000)}true${")".repeat(10_000)}` }],
      }),
    ),
  ),
];

function definition(spec: object): object {
  const openAPIV3Schema = { type: "object", properties: { spec } };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    metadata: { name: "poisons.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "poisons", kind: "Poison" },
      versions: [version],
    },
  };
}

const COSTLY: Attack = played("an object for which a rule takes too long", async (target) => {
  const inner = { type: "array", items: { type: "string" } };
  const rule =
    "self.all(a, a.all(b, self.all(c, c.all(d, self.all(e, e.all(f, b != f || d == f))))))";
  const schema = { type: "array", items: inner, "x-kubernetes-validations": [{ rule }] };
  const made = await ask(target, post(DEFINITIONS, definition(schema)));
  if (made.status === 422) return;
  expect(made.status).toBe(201);
  const spec = Array.from({ length: 60 }, () => Array.from({ length: 60 }, String));
  const poison = { apiVersion: "example.com/v1", kind: "Poison", metadata: { name: "p" }, spec };
  const where = "/apis/example.com/v1/namespaces/default/poisons";
  expect((await ask(target, post(where, poison))).status).toBe(422);
});

const POLLUTION: readonly Attack[] = (
  [
    [
      "JSON",
      '{"metadata":{"name":"p1"},"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
      {},
    ],
    [
      "YAML",
      "metadata: {name: p2}\n__proto__: {polluted: 'yes'}\nconstructor: {prototype: {polluted: 'yes'}}\n",
      YAML,
    ],
  ] as const
).map(([what, body, headers]) =>
  played(`${what} that tries to pollute Object.prototype`, async (target) => {
    const answer = await ask(target, {
      method: "POST",
      path: CONFIG_MAPS,
      body,
      headers,
    });
    expect(answer.status).toBeLessThan(500);
    expectNothingTold(answer);
    const { text } = await ask(target, { path: `${CONFIG_MAPS}/victim` });
    expect(text).not.toContain("polluted");
  }),
);

export const BODY_ATTACKS: readonly Attack[] = [
  ...TEXTS,
  ...MESSAGES,
  ...VALUES,
  ...DEEP,
  COSTLY,
  ...POLLUTION,
];
