/**
 * Clients that write ConfigMaps until their server dies. They remember what was acknowledged, with
 * every field, and what was in flight.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { SeenEvent } from "../support/watch-lines.ts";
import type { Life } from "./crash-life.ts";

export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const KEYS = 200;

/** An object as the server returns it. */
export interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly data: { readonly value: string; readonly sum: string };
}

/** What a client knows about one object. */
interface Known {
  acknowledged: Item | undefined;
  /** The value sent last; its value is undefined for a deletion. Undefined once it was answered. */
  sent: { readonly value: string | undefined } | undefined;
  /** The revision at which a watch delivered the sent value: then it must survive. */
  told: number | undefined;
}

export class WrittenObjects {
  readonly #known = new Map<string, Known>();
  /** The name of every object that ever existed, by UID. */
  readonly #nameOf = new Map<string, string>();
  readonly #revisions = new Set<number>();
  readonly problems: string[] = [];
  acknowledged = 0;
  /** The highest revision that any client was told. */
  highest = 0;
  #serial = 0;
  /** The revisions of the current life. */
  #own: number[] = [];

  beginLife(): void {
    this.#own = [];
  }

  /** Sends one write and records its answer. */
  async write(life: Life, writer: number, below: (limit: number) => number): Promise<void> {
    const name = `w${writer}-${below(KEYS)}`;
    const record = this.#known.get(name) ?? newlyKnown();
    this.#known.set(name, record);
    const current = record.acknowledged;
    const removes = current !== undefined && below(4) === 0;
    const size = below(20) === 0 ? below(40_000) : below(3000);
    const value = removes ? undefined : `${writer}-${this.#serial++}-${"x".repeat(size)}`;
    record.sent = { value };
    const answer = await send(life, name, current !== undefined, value);
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    const item = value === undefined ? undefined : bare(answer.json);
    if (item) this.#checkAnswer(item, current);
    record.acknowledged = item;
    record.sent = undefined;
    this.acknowledged++;
  }

  /** Compares the objects after a restart with what is known. They become the new state. */
  compare(items: readonly Item[]): void {
    const stored = new Map(items.map((item) => [item.metadata.name, bare(item)]));
    for (const [name, item] of stored) {
      if (sumOf(item.data.value) !== item.data.sum) this.problems.push(`${name} is torn`);
      if (!this.#known.has(name)) this.problems.push(`${name} was never written`);
    }
    for (const [name, record] of this.#known) {
      const found = stored.get(name);
      const { acknowledged, sent, told } = record;
      const isAsSent = sent !== undefined && found?.data.value === sent.value;
      const isAsTold = !told || !found || Number(found.metadata.resourceVersion) === told;
      const isAsBefore = !told && isDeepStrictEqual(found, acknowledged);
      if (!isAsBefore && !(isAsSent && isAsTold)) {
        this.problems.push(`${name} should be ${brief(acknowledged)}, is ${brief(found)}`);
      }
      if (isAsSent && found) this.#noteUid(found, acknowledged);
      Object.assign(record, newlyKnown(), { acknowledged: found });
    }
  }

  /** An event that a watch delivered must not be undone, and a watch must not skip events. */
  compareEvents(events: readonly SeenEvent[]): void {
    const told = new Set<number>();
    let last = 0;
    for (const { name, revision } of events) {
      if (revision <= last) this.problems.push(`a watch told ${revision} after ${last}`);
      if (!this.#known.has(name)) this.problems.push(`a watch told of ${name}, never written`);
      last = revision;
      told.add(revision);
    }
    const missing = this.#own.filter((revision) => revision <= last && !told.has(revision));
    if (missing.length > 0) this.problems.push(`a watch left out ${missing}`);
    for (const [name, event] of new Map(events.map((each) => [each.name, each]))) {
      const record = this.#known.get(name);
      const value = event.type === "DELETED" ? undefined : event.value;
      const before = Number(record?.acknowledged?.metadata.resourceVersion ?? 0);
      const isOfLast = record?.sent?.value === value && event.revision > before;
      if (record?.sent && isOfLast) record.told = event.revision;
    }
    this.highest = Math.max(this.highest, last);
  }

  #checkAnswer(item: Item, previous: Item | undefined): void {
    const revision = Number(item.metadata.resourceVersion);
    if (this.#revisions.has(revision)) this.problems.push(`${revision} was given out twice`);
    this.#revisions.add(revision);
    this.#own.push(revision);
    this.highest = Math.max(this.highest, revision);
    this.#noteUid(item, previous);
  }

  #noteUid({ metadata: { uid, name } }: Item, previous: Item | undefined): void {
    const isKept = previous?.metadata.uid === uid;
    if (previous && !isKept) this.problems.push(`${name} changed its uid`);
    if (!previous && this.#nameOf.has(uid)) this.problems.push(`the uid ${uid} was used before`);
    this.#nameOf.set(uid, name);
  }
}

function newlyKnown(): Known {
  return { acknowledged: undefined, sent: undefined, told: undefined };
}

function send(life: Life, name: string, exists: boolean, value: string | undefined) {
  if (value === undefined) return life.call("DELETE", `${CONFIG_MAPS}/${name}`);
  const data = { value, sum: sumOf(value) };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
  return exists
    ? life.call("PUT", `${CONFIG_MAPS}/${name}`, body)
    : life.call("POST", CONFIG_MAPS, body);
}

function sumOf(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}

/** The items of a list lack kind and apiVersion. */
function bare(item: Item): Item {
  return { ...item, kind: undefined, apiVersion: undefined } as Item;
}

function brief(item: Item | undefined): string {
  if (item === undefined) return "absent";
  return `${item.data.value.slice(0, 20)} at ${item.metadata.resourceVersion}`;
}
