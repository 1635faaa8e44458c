/** Feeds a parser with mutations of interesting inputs, and stores what it finds. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { seededRandom } from "../../src/base/random.ts";
import { projectFile } from "../support/project-file.ts";
import { mutate } from "./mutate.ts";
import type { FuzzedParser } from "./parser.ts";

export interface FuzzLimits {
  readonly seed: number;
  readonly inputs: number;
  /** CPU time, after which no more inputs are tried. */
  readonly spentMs: number;
  /**
   * Whether inputs with a new outcome, and inputs that break the parser, are written to corpus/.
   */
  readonly keeps: boolean;
}

export interface Fuzzed {
  readonly inputs: number;
  readonly outcomes: number;
}

/** The most CPU time for one input of at most 8 KiB: a longer one would delay other clients. */
const LONGEST_READ_MS = 1_000;
const MOST_OUTCOMES = 2_000;
/** Files per parser in the corpus: enough to start with, few enough to read. */
const MOST_KEPT = 25;
const LONGEST_KEPT_BYTES = 1500;

/** Throws with the input, the seed and the cause if the parser broke or took too long. */
export async function fuzz(parser: FuzzedParser, limits: FuzzLimits): Promise<Fuzzed> {
  const random = seededRandom(limits.seed);
  const known = [...parser.seeds.map((seed) => Buffer.from(seed)), ...readCorpus(parser.name)];
  const outcomes = new Set<string>();
  const began = spentMs();
  for (const input of known) outcomes.add(await readOne(parser, input, limits));
  let inputs = known.length;
  let kept = readCorpus(parser.name).length;
  while (inputs < limits.inputs && spentMs() - began < limits.spentMs) {
    const from = known[random.below(known.length)] ?? Buffer.alloc(0);
    const input = mutate(from, random, known);
    const outcome = await readOne(parser, input, limits);
    inputs++;
    if (outcomes.has(outcome) || outcomes.size >= MOST_OUTCOMES) continue;
    outcomes.add(outcome);
    known.push(input);
    const isKept = limits.keeps && input.length <= LONGEST_KEPT_BYTES && kept < MOST_KEPT;
    if (!isKept) continue;
    keep(parser.name, input);
    kept++;
  }
  return { inputs, outcomes: outcomes.size };
}

async function readOne(parser: FuzzedParser, input: Buffer, limits: FuzzLimits): Promise<string> {
  const began = spentMs();
  let outcome: string;
  try {
    outcome = await parser.read(input);
  } catch (cause) {
    throw broken(parser, input, limits, cause);
  }
  const tookMs = spentMs() - began;
  if (tookMs > LONGEST_READ_MS) {
    throw broken(parser, input, limits, new Error(`took ${Math.round(tookMs)} ms`));
  }
  return shapeOf(outcome);
}

/** Texts and numbers of the input do not make an outcome new. */
function shapeOf(outcome: string): string {
  return outcome
    .slice(0, 2000)
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "…")
    .replace(/[0-9a-f]{8,}|\d+/gi, "0")
    .replace(/[^\x20-\x7e]+/g, "…")
    .slice(0, 160);
}

function broken(
  parser: FuzzedParser,
  input: Buffer,
  { seed, keeps }: FuzzLimits,
  cause: unknown,
): Error {
  const file = keeps ? `, kept in ${keep(parser.name, input)}` : "";
  const shown = JSON.stringify(input.toString("latin1").slice(0, 500));
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return new Error(`${parser.name} (seed ${seed}${file}) on ${shown}: ${text}`, { cause });
}

function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const corpusOf = (name: string): string => projectFile(path.join("test/fuzz/corpus", name));

function readCorpus(name: string): readonly Buffer[] {
  const directory = corpusOf(name);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .map((file) => readFileSync(path.join(directory, file)));
}

function keep(name: string, input: Buffer): string {
  const directory = corpusOf(name);
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, createHash("sha256").update(input).digest("hex").slice(0, 16));
  writeFileSync(file, input);
  return path.relative(projectFile("."), file);
}
