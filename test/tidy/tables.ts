/** The style as data: limits, allowed imports, banned words, and exceptions with their reasons. */

export const MAX_FILE_LINES = 400;
export const MAX_LINE_LENGTH = 100;

export interface Layer {
  readonly imports: readonly string[];
  /** Further imports allowed for single files, by path. */
  readonly exceptions?: { readonly [path: string]: readonly string[] };
}

/** The folders and files directly in src, and what each may import besides itself. */
export const LAYERS: { readonly [layer: string]: Layer } = {
  base: { imports: [] },
  api: { imports: ["base"] },
  kinds: { imports: ["base", "api"] },
  ledger: { imports: ["api"] },
  store: { imports: ["base", "api"] },
  server: { imports: ["base", "api", "kinds", "ledger", "store"] },
  client: {
    imports: ["base", "api"],
    // The one client that calls the server's verbs without HTTP.
    exceptions: { "src/client/local.ts": ["kinds", "server"] },
  },
  controllers: { imports: ["base", "api", "client"] },
  agent: {
    imports: ["base", "api", "client"],
    // These files reconcile pods and claims as a controller does.
    exceptions: {
      "src/agent/agent.ts": ["controllers"],
      "src/agent/volumes/provisioner.ts": ["controllers"],
    },
  },
  dns: { imports: ["base", "api", "client"] },
  proxy: { imports: ["base", "api"] },
  "cluster-network.ts": { imports: ["base", "api", "client", "agent", "dns", "proxy"] },
  "networked-agent.ts": { imports: ["base", "api", "client", "agent", "cluster-network.ts"] },
  nodes: { imports: ["base", "api"] },
  access: { imports: ["base"] },
  "remote-agent.ts": {
    imports: [
      "base",
      "api",
      "client",
      "agent",
      "nodes",
      "access",
      "networked-agent.ts",
      "engine-options.ts",
    ],
  },
  "engine-options.ts": { imports: ["base", "api", "ledger"] },
  "engine.ts": {
    imports: [
      "base",
      "api",
      "kinds",
      "ledger",
      "store",
      "server",
      "client",
      "controllers",
      "agent",
      "networked-agent.ts",
      "nodes",
      "access",
      "engine-options.ts",
    ],
  },
  "end-node.ts": {
    imports: ["base", "api", "client", "agent", "engine.ts", "engine-options.ts"],
  },
  remote: { imports: ["base", "api", "ledger", "client", "controllers"] },
  "stored-data.ts": { imports: ["ledger", "server", "store"] },
  command: { imports: ["base", "api", "access", "engine-options.ts"] },
  runs: {
    imports: [
      "base",
      "api",
      "ledger",
      "client",
      "access",
      "command",
      "engine-options.ts",
      "engine.ts",
      "stored-data.ts",
    ],
    // The spawner starts while the engine is still being loaded.
    exceptions: { "src/runs/host/own-engine.ts": ["agent"] },
  },
  cli: {
    imports: [
      "base",
      "api",
      "client",
      "access",
      "command",
      "runs",
      "remote",
      "remote-agent.ts",
      "engine-options.ts",
      "engine.ts",
      "end-node.ts",
    ],
  },
  "main.ts": { imports: ["cli"] },
  // It loads the bundle of main.ts.
  "launch.ts": { imports: ["base"] },
};

/** Files in these folders are pure even if they do not say so. */
export const PURE_FOLDERS: readonly string[] = ["api", "kinds"];

/** Packages and Node modules that only compute. */
export const PURE_PACKAGES: {
  readonly [name: string]: { readonly files: "any" | readonly string[]; readonly reason: string };
} = {
  "immutable-json-patch": { files: "any", reason: "copies and compares values" },
  re2js: { files: "any", reason: "matches texts" },
  protobufjs: { files: "any", reason: "reads and writes bytes in memory" },
  "protobufjs/minimal.js": { files: "any", reason: "reads and writes bytes in memory" },
  "sorted-btree": { files: "any", reason: "a container" },
  yaml: { files: "any", reason: "reads and writes text in memory" },
  "node:module": {
    files: ["src/kinds/customresource/patterns.ts"],
    reason: "loads re2js with the first pattern",
  },
  "node:crypto": { files: ["src/controllers/endpoints/port-order.ts"], reason: "a checksum" },
  "node:util": { files: ["src/server/patch/json-patch.ts"], reason: "isDeepStrictEqual" },
};

export interface Ban {
  readonly pattern: RegExp;
  readonly what: string;
  readonly remedy: string;
}

const TAKE_CLOCK = "take the time as an argument";

export const IMPURE: readonly Ban[] = [
  {
    pattern: /\basync\b|\bawait\b/,
    what: "async",
    remedy: "return what to do, let the caller wait",
  },
  { pattern: /\bDate\.now\b|\bnew Date\(\s*\)/, what: "the clock", remedy: TAKE_CLOCK },
  { pattern: /\bperformance\./, what: "the clock", remedy: TAKE_CLOCK },
  { pattern: /\bset(Timeout|Interval|Immediate)\b/, what: "a timer", remedy: "return the delay" },
  { pattern: /\bMath\.random\b/, what: "chance", remedy: "take the number as an argument" },
  { pattern: /\bcrypto\.random|\brandomUUID\b/, what: "chance", remedy: "take it as an argument" },
  { pattern: /\bprocess\./, what: "the process", remedy: "take what you need as an argument" },
  { pattern: /\bfetch\(/, what: "the network", remedy: "return the request" },
  { pattern: /\bconsole\./, what: "the console", remedy: "return what there is to say" },
];

/** The patterns are spelled so that this file does not match itself. */
export const BANNED_WORDS: readonly Ban[] = [
  {
    pattern: /\b(TOD[O]|FIXM[E]|XX[X])\b/,
    what: "unfinished",
    remedy: "finish it or leave it out",
  },
  {
    pattern: /(^|[\s"'`(=])\/(wor[k]|roo[t]|hom[e]\/(?!me\b))/,
    what: "a path of one machine",
    remedy: "compute it",
  },
  {
    pattern: /\bregistry\.[a-z]+[j]s\b|\bregistry\.yar[n]pkg\b/,
    what: "a registry host",
    remedy: "leave it out",
  },
  {
    // Node's inspector exports a class of that name.
    pattern: /\b[s]essions?\b(?! affinity|\(\)| } from "node:inspector")/i,
    what: "about how it was made",
    remedy: "speak of the project alone",
  },
  { pattern: /\bissue\s+[#]?\d+/i, what: "refers to an issue", remedy: "say the reason itself" },
  { pattern: /^\s*(\/\/|\*|#)\s*[-=*#]{4,}\s*$/, what: "a banner", remedy: "a file is one idea" },
];

export const BANNED_FOLDERS: readonly string[] = [
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "misc",
  "manager",
];

/** Accepted offences, by rule and path, with the reason. */
export const EXCEPTIONS: {
  readonly [rule: string]: { readonly [path: string]: string };
} = {};

const RECORDED = "test/conformance/api.test.ts replays what a real cluster answered";

/** Folders of src without tests of their own, and where they are tested instead. */
export const TESTED_ELSEWHERE: { readonly [folder: string]: string } = {
  "src/kinds/apps": RECORDED,
  "src/kinds/cel/cost":
    "src/kinds/customresourcedefinition/recorded-costs.test.ts has recorded ones",
  "src/kinds/cel/library": "src/kinds/cel/expression.test.ts calls every function",
  "src/kinds/configmap": RECORDED,
  "src/kinds/endpointslice": RECORDED,
  "src/kinds/event": RECORDED,
  "src/kinds/lease": RECORDED,
  "src/kinds/namespace": RECORDED,
  "src/kinds/node": RECORDED,
  "src/kinds/priorityclass": RECORDED,
  "src/kinds/runtimeclass": RECORDED,
  "src/kinds/secret": RECORDED,
  "src/kinds/serviceaccount": RECORDED,
};

/** Suppressed lint rules, by path. Biome requires the reason at the suppression itself. */
export const SUPPRESSIONS: { readonly [path: string]: readonly string[] } = {
  "test/support/call-server.ts": ["lint/suspicious/noExplicitAny"],
};
