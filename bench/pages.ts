/**
 * Lists many pods page by page, as kubectl does, while others are written: the pages must show one
 * state of the past, complete and without duplicates.
 */
import { Agent, request } from "node:https";
import type { ApiTarget } from "./api-target.ts";
import { type Asked, type LoadResult, run } from "./load.ts";
import type { Figure } from "./report.ts";

const PATH = "/api/v1/namespaces/default/pods";
const PAGE = 500;
const WRITERS = 4;

export interface Pages {
  readonly pods: number;
  /** How often the whole list is read. */
  readonly lists: number;
}

export async function measurePages(target: ApiTarget, { pods, lists }: Pages): Promise<Figure[]> {
  const filled = await run(target, {
    connections: 32,
    total: pods,
    ask: (index) => createPod(podName(index)),
  });
  if (filled.failed > 0) throw new Error(`${filled.failed} pods were not created`);
  const memoryMb = await target.memoryMb();
  const writer = new Writer(pods);
  const alone = await run(target, { connections: WRITERS, total: pods / 20, ask: writer.next });
  let isListed = false;
  const listing = listTimes(target, lists).finally(() => {
    isListed = true;
  });
  const meanwhile = await run(target, {
    connections: WRITERS,
    total: Number.MAX_SAFE_INTEGER,
    ask: writer.next,
    isOver: () => isListed,
  });
  const listed = await listing;
  const failed = alone.failed + meanwhile.failed;
  if (failed > 0) throw new Error(`${failed} writes failed`);
  return figuresOf(listed, alone, meanwhile, { memoryMb, laterMb: await target.memoryMb() });
}

interface Memory {
  readonly memoryMb: number;
  readonly laterMb: number;
}

function figuresOf(
  { pageMs, seconds, items }: Listed,
  alone: LoadResult,
  meanwhile: LoadResult,
  { memoryMb, laterMb }: Memory,
): Figure[] {
  const sorted = [...pageMs].sort((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return [
    {
      what: "pods listed/s, by pages of 500 while writes go on",
      value: items / seconds,
      isRate: true,
    },
    { what: "pages/s", value: pageMs.length / seconds, isRate: true },
    { what: "page p50, ms", value: at(0.5), digits: 1 },
    { what: "page p99, ms", value: at(0.99), digits: 1 },
    { what: "writes/s without the list", value: alone.perSecond, isRate: true },
    { what: "writes/s meanwhile", value: meanwhile.perSecond, isRate: true },
    { what: "write p50 without, ms", value: alone.p50Ms, digits: 1 },
    { what: "write p50 meanwhile, ms", value: meanwhile.p50Ms, digits: 1 },
    { what: "write p99 without, ms", value: alone.p99Ms, digits: 1 },
    { what: "write p99 meanwhile, ms", value: meanwhile.p99Ms, digits: 1 },
    { what: "memory with the pods, MB", value: memoryMb },
    { what: "memory after the lists, MB", value: laterMb },
  ];
}

/** Names that sort like their numbers, with room for others in between. */
function podName(index: number): string {
  return `pod-${String(index).padStart(7, "0")}`;
}

function createPod(name: string): Asked {
  const spec = {
    restartPolicy: "Never",
    containers: [{ name: "main", image: "registry.local/worker:1", command: ["/bin/true"] }],
  };
  const metadata = { name, labels: { app: "worker" } };
  const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec });
  return { method: "POST", path: PATH, body, expect: 201 };
}

/** Alternates: creates a pod between others, labels one, and deletes one that it created. */
class Writer {
  private made = 0;
  private ended = 0;
  private labelled = 0;
  private readonly waiting: string[] = [];

  constructor(private readonly pods: number) {}

  readonly next = (index: number): Asked => {
    if (index % 3 === 0) return this.create();
    return index % 3 === 1 ? this.label() : (this.delete() ?? this.label());
  };

  private create(): Asked {
    const number = this.made++;
    const name = `${podName((number * STRIDE) % this.pods)}-${number}`;
    this.waiting.push(name);
    return createPod(name);
  }

  private label(): Asked {
    const number = (this.labelled++ * STRIDE) % this.pods;
    const body = JSON.stringify({ metadata: { labels: { seen: String(this.labelled) } } });
    const contentType = "application/merge-patch+json";
    const path = `${PATH}/${podName(number)}`;
    return { method: "PATCH", path, body, contentType, expect: 200 };
  }

  /** Long after its creation was requested, so that the pod exists. */
  private delete(): Asked | undefined {
    const name = this.waiting[this.ended];
    if (name === undefined || this.made - this.ended < WRITERS * 2) return undefined;
    this.ended++;
    return { method: "DELETE", path: `${PATH}/${name}?gracePeriodSeconds=0`, expect: 200 };
  }
}

/** A prime number, so that writes are spread over all pods. */
const STRIDE = 7_919;

interface Listed {
  readonly items: number;
  readonly seconds: number;
  readonly pageMs: readonly number[];
}

async function listTimes(target: ApiTarget, times: number): Promise<Listed> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const pageMs: number[] = [];
  let items = 0;
  const began = performance.now();
  for (let time = 0; time < times; time++) items += await listOnce(target, agent, pageMs);
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return { items, seconds, pageMs };
}

interface PodPage {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

async function listOnce(target: ApiTarget, agent: Agent, pageMs: number[]): Promise<number> {
  let token = "";
  let revision: string | undefined;
  let expected = Number.NaN;
  let count = 0;
  let previous = "";
  do {
    const began = performance.now();
    const page = await readPage(target, agent, token);
    pageMs.push(performance.now() - began);
    revision ??= page.metadata.resourceVersion;
    if (page.metadata.resourceVersion !== revision) throw new Error("the pages are of two states");
    for (const { metadata } of page.items) {
      if (metadata.name <= previous) throw new Error(`${metadata.name} after ${previous}`);
      previous = metadata.name;
    }
    count += page.items.length;
    // The first page tells how many pods the state has that all pages must show.
    if (Number.isNaN(expected)) expected = count + (page.metadata.remainingItemCount ?? 0);
    token = page.metadata.continue ?? "";
  } while (token !== "");
  if (count !== expected) throw new Error(`${count} pods were listed, there were ${expected}`);
  return count;
}

function readPage({ url, token }: ApiTarget, agent: Agent, from: string): Promise<PodPage> {
  const after = from === "" ? "" : `&continue=${encodeURIComponent(from)}`;
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: "application/json" };
    const sent = request(`${url}${PATH}?limit=${PAGE}${after}`, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        if (response.statusCode === 200) resolve(JSON.parse(text) as PodPage);
        else reject(new Error(`a page was refused: ${text}`));
      });
    });
    sent.on("error", reject).end();
  });
}
