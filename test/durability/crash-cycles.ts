/**
 * Writers over HTTP note what was acknowledged while the server is killed at random moments. After
 * each restart the store must hold every acknowledged write, whole, and go on above its revisions.
 */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { seededRandom } from "../../src/base/random.ts";
import { startTally, type Tally } from "../support/tally.ts";
import { type SeenEvent, watchLines } from "../support/watch-lines.ts";

export interface CrashReport {
  readonly cycles: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

const PATH = "/api/v1/namespaces/default/configmaps";
const WRITERS = 8;
const KEYS = 200;

/** What a client knows of one object: what was acknowledged, and what was on its way. */
interface Known {
  acknowledged: string | undefined;
  uncertain: (string | undefined)[];
}

export async function runCrashCycles(cycles: number, seed: number): Promise<CrashReport> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "tally-crash-"));
  const random = seededRandom(seed);
  const known = new Map<string, Known>();
  const problems: string[] = [];
  let acknowledged = 0;
  let highest = 0;
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      const tally = await startTally({ dataDir, args: ["--controllers=none", "--no-agent"] });
      const listed = await tally.call("GET", PATH);
      problems.push(...verify(listed.json.items, known).map((found) => `cycle ${cycle}: ${found}`));
      const revision = Number(listed.json.metadata.resourceVersion);
      if (revision < highest) problems.push(`cycle ${cycle}: revision fell to ${revision}`);
      problems.push(...(await checkOldWatch(tally, highest, revision)));
      settle(listed.json.items, known);
      const seen = new Set<number>();
      const watch = await watchLines(tally, `${PATH}?watch=1&resourceVersion=${revision}`);
      const target = 20 + random.below(400);
      const written = await writeUntilKilled(tally, known, target, random.below.bind(random));
      acknowledged += written.acknowledged;
      for (const own of written.revisions) {
        if (own <= highest) problems.push(`cycle ${cycle}: revision ${own} was used before`);
        if (seen.has(own)) problems.push(`cycle ${cycle}: revision ${own} was given twice`);
        seen.add(own);
      }
      const events = await watch.close();
      problems.push(...noteEvents(events, known));
      highest = Math.max(highest, ...written.revisions, ...events.map(({ revision: at }) => at));
    }
    return { cycles, acknowledged, problems };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function content(value: string): object {
  return { value, sum: createHash("sha256").update(value).digest("hex") };
}

async function writeUntilKilled(
  tally: Tally,
  known: Map<string, Known>,
  target: number,
  below: (limit: number) => number,
): Promise<{ acknowledged: number; revisions: number[] }> {
  const revisions: number[] = [];
  let acknowledged = 0;
  let alive = true;
  let serial = 0;
  const writer = async (own: number): Promise<void> => {
    while (alive) {
      const name = `w${own}-${below(KEYS)}`;
      const record = known.get(name) ?? { acknowledged: undefined, uncertain: [] };
      known.set(name, record);
      const exists = record.acknowledged !== undefined;
      const removes = exists && below(4) === 0;
      const value = removes ? undefined : `${own}-${serial++}-${"x".repeat(below(3000))}`;
      record.uncertain = [value];
      try {
        const answer = await send(tally, name, exists, value);
        if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
        record.acknowledged = value;
        record.uncertain = [];
        acknowledged++;
        const revision = answer.json.metadata?.resourceVersion;
        if (revision !== undefined && value !== undefined) revisions.push(Number(revision));
        if (acknowledged >= target && alive) {
          alive = false;
          await tally.kill();
        }
      } catch (error) {
        if (alive) throw error;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, own) => writer(own)));
  return { acknowledged, revisions };
}

function send(tally: Tally, name: string, exists: boolean, value: string | undefined) {
  if (value === undefined) return tally.call("DELETE", `${PATH}/${name}`);
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: content(value),
  };
  return exists ? tally.call("PUT", `${PATH}/${name}`, body) : tally.call("POST", PATH, body);
}

interface Item {
  readonly metadata: { readonly name: string };
  readonly data: { readonly value: string; readonly sum: string };
}

function verify(items: readonly Item[], known: ReadonlyMap<string, Known>): string[] {
  const problems: string[] = [];
  const stored = new Map(items.map((item) => [item.metadata.name, item.data]));
  for (const [name, data] of stored) {
    const sum = createHash("sha256").update(data.value).digest("hex");
    if (sum !== data.sum) problems.push(`${name} is torn`);
    if (!known.has(name)) problems.push(`${name} was never written`);
  }
  for (const [name, { acknowledged, uncertain }] of known) {
    const value = stored.get(name)?.value;
    if (value === acknowledged || uncertain.includes(value)) continue;
    problems.push(`${name} should be ${brief(acknowledged)}, is ${brief(value)}`);
  }
  return problems;
}

function brief(value: string | undefined): string {
  return value === undefined ? "absent" : value.slice(0, 20);
}

/** After a restart the stored state is the truth to go on from. */
function settle(items: readonly Item[], known: Map<string, Known>): void {
  const stored = new Map(items.map((item) => [item.metadata.name, item.data.value]));
  for (const [name, record] of known) {
    record.acknowledged = stored.get(name);
    record.uncertain = [];
  }
}

/** What a watch was told counts as acknowledged: it may not be taken back. */
function noteEvents(events: readonly SeenEvent[], known: ReadonlyMap<string, Known>): string[] {
  const problems: string[] = [];
  const last = new Map<string, SeenEvent>();
  for (const event of events) last.set(event.name, event);
  for (const [name, event] of last) {
    const record = known.get(name);
    if (!record) {
      problems.push(`a watch told of ${name}, which nobody wrote`);
      continue;
    }
    const value = event.type === "DELETED" ? undefined : event.value;
    if (record.uncertain.includes(value)) {
      record.acknowledged = value;
      record.uncertain = [];
    }
  }
  return problems;
}

/** A watch from before the crash goes on only if nothing can be missing in between. */
async function checkOldWatch(tally: Tally, from: number, revision: number): Promise<string[]> {
  if (from === 0) return [];
  const watch = `${PATH}?watch=1&timeoutSeconds=1&resourceVersion=${from}`;
  const answer = await tally.call("GET", watch);
  const resumes = answer.status === 200 && !answer.text.includes('"type":"ERROR"');
  const refused = answer.text.includes('"code":410');
  if (refused || (resumes && from <= revision)) return [];
  return [`a watch from ${from} got ${answer.status} ${answer.text.slice(0, 200)}`];
}
