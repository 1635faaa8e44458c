/**
 * How long one request body can block the server for all other clients. Each list and map of each
 * kind grows to the limit of values in a body, which is then created, replaced, applied, applied
 * again and patched. CPU time is measured, because other programs use the machine as well. The
 * worst are printed, and the worst of each way.
 */
import { expect, test } from "vitest";
import { hasMoreValues, mostValuesAt } from "../../src/server/http/values.ts";
import { type GrownField, grownFields } from "../attacks/grow-kinds.ts";
import { aServer } from "../builders/server.ts";
import { ask, type Told } from "../support/ask.ts";

/** On a busy machine the metadata of a Pod took up to 431 ms. The goal is 50 ms. */
const MOST_MS = 1_000;
/** Compared with a quarter of the size: n log n is a factor of 4.6, n² would be 16. */
const MOST_TIMES = 9;
/** Shorter times are too imprecise to show how they grow. */
const SHORT_MS = 20;
const ROUNDS = 3;
const SHOWN = 30;

const WAYS = [
  "create",
  "replace",
  "apply",
  "apply again",
  "merge",
  "strategic merge",
  "JSON patch",
] as const;
type Way = (typeof WAYS)[number];

interface Block {
  readonly name: string;
  readonly way: Way;
  readonly ms: number;
  readonly quarterMs: number;
  readonly status: number;
}

function collectionOf({ kind }: GrownField): string {
  const { group, version, namespaced, resource } = kind;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? "/namespaces/default" : ""}/${resource}`;
}

const bytesOf = (body: object): Buffer => Buffer.from(JSON.stringify(body));

/** The largest number of items that a body for this path may have. */
function mostItems(field: GrownField, isEqual: boolean): number {
  const most = mostValuesAt(collectionOf(field));
  let [low, high] = [1, most];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (hasMoreValues(bytesOf(field.body(middle, isEqual)), most)) high = middle - 1;
    else low = middle;
  }
  return low;
}

function send(field: GrownField, way: Way, body: object): (() => Told) | undefined {
  // The store on disk does not freeze objects, which takes as long as much of the rest.
  const server = aServer({ freeze: false });
  const path = collectionOf(field);
  const bytes = bytesOf(body);
  if (way === "create") return () => ask(server, "POST", path, bytes);
  const isThere = ask(server, "POST", path, bytesOf(field.body(1, true))).status === 201;
  const patch = (contentType: string, sent: Buffer) => () =>
    ask(server, "PATCH", `${path}/grown`, sent, { contentType });
  const apply = () => {
    const yaml = { value: JSON.parse(bytes.toString()), repeatedKeys: [] };
    const headers = { contentType: "application/apply-patch+yaml", yaml };
    return () => ask(server, "PATCH", `${path}/grown?fieldManager=m&force=true`, "", headers);
  };
  if (way === "apply") return apply();
  if (way === "apply again") return apply()().status < 300 ? apply() : undefined;
  if (!isThere) return undefined;
  switch (way) {
    case "replace":
      return () => ask(server, "PUT", `${path}/grown`, bytes);
    case "merge":
      return patch("application/merge-patch+json", bytes);
    case "strategic merge":
      return patch("application/strategic-merge-patch+json", bytes);
    case "JSON patch":
      return patch("application/json-patch+json", replacing(body));
  }
}

/** One operation for each part of the object. */
function replacing(body: object): Buffer {
  const parts = Object.entries(body).filter(([key]) => !["apiVersion", "kind"].includes(key));
  return bytesOf(parts.map(([key, value]) => ({ op: "add", path: `/${key}`, value })));
}

/** The minimum of some rounds, because the process also does other work. */
function measure(field: GrownField, way: Way, body: object) {
  let [leastMs, status] = [Number.POSITIVE_INFINITY, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const call = send(field, way, body);
    if (!call) return undefined;
    const before = process.cpuUsage();
    status = call().status;
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
    if (leastMs < SHORT_MS) break;
  }
  return { ms: leastMs, status };
}

function blocksOf(field: GrownField): Block[] {
  return [false, true].flatMap((isEqual) => {
    const most = mostItems(field, isEqual);
    const [whole, quarter] = [field.body(most, isEqual), field.body(most >> 2, isEqual)];
    return WAYS.flatMap((way) => {
      const large = measure(field, way, whole);
      const small = large && measure(field, way, quarter);
      if (!large || !small) return [];
      const items = `${most} ${isEqual ? "equal" : "different"} ${field.path}`;
      const name = `${way} ${field.kind.kind} with ${items}`;
      return [{ name, way, ms: large.ms, quarterMs: small.ms, status: large.status }];
    });
  });
}

const only = process.env["LOOP_BLOCKS"] ?? "";

test("no allowed body blocks the server for long, or grows faster than n log n", () => {
  const fields = grownFields().filter(({ kind, path }) => `${kind.kind} ${path}`.includes(only));
  const blocks = fields.flatMap(blocksOf).sort((one, other) => other.ms - one.ms);
  const rowOf = ({ name, ms, quarterMs, status }: Block) => {
    const times = (ms / Math.max(quarterMs, 1)).toFixed(1);
    return `${ms.toFixed(0).padStart(6)} ms  ×${times.padStart(5)}  ${status}  ${name}`;
  };
  const worst = WAYS.flatMap((way) => blocks.find((block) => block.way === way) ?? []);
  const rows = [...blocks.slice(0, SHOWN), ...worst].map(rowOf);
  const over = blocks.filter(({ ms }) => ms > 50).length;
  process.stdout.write(`${rows.join("\n")}\n${over} of ${blocks.length} take more than 50 ms\n`);
  expect(blocks.length).toBeGreaterThan(0);
  const slow = blocks.filter(({ ms }) => ms > MOST_MS);
  const steep = blocks.filter(
    ({ ms, quarterMs }) => ms > 5 * SHORT_MS && ms / Math.max(quarterMs, SHORT_MS / 4) > MOST_TIMES,
  );
  expect({ slow, steep }).toEqual({ slow: [], steep: [] });
});
