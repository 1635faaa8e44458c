/**
 * Clients that play a node: pods of an Indexed Job are created, end and are deleted until the
 * server dies. The ledger must have exactly one attempt for each acknowledged end.
 */
import { POD_SPEC } from "../builders/job.ts";
import type { Answer } from "../support/call-server.ts";
import type { Life } from "./crash-life.ts";

const PODS = "/api/v1/namespaces/default/pods";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const LEDGER = "/apis/tallyjob.io/v1alpha1/namespaces/default/jobs";
const NODE = "n1";
/** How many older indexes are compared again after each restart. */
const SAMPLE = 10;

interface Attempt {
  readonly podUID: string;
  readonly jobUID: string;
  readonly exitCode?: number;
  readonly outcome: string;
}

interface Known {
  readonly podUID: string;
  readonly exitCode: number;
  end: "not yet" | "sent" | "acknowledged";
}

export class WrittenAttempts {
  readonly problems: string[] = [];
  acknowledged = 0;
  /** How often an index was looked up and compared. */
  compared = 0;
  /** By index. */
  readonly #known = new Map<number, Known>();
  #fresh: number[] = [];
  #jobUid = "";
  #nextIndex = 0;
  #stories = 0;
  #lastStory = "";

  /**
   * Prepares a new life: creates the Job if it is missing, and deletes pods left over from the
   * last.
   */
  async beginLife(life: Life): Promise<void> {
    const found = await life.call("GET", `${JOBS}/work`);
    const job = found.status === 200 ? found : await life.call("POST", JOBS, aJob("work"));
    this.#jobUid = job.json.metadata.uid;
    await expectDone(life.call("DELETE", `${PODS}?gracePeriodSeconds=0`));
    await life.call("DELETE", `${JOBS}/story?propagationPolicy=Background`);
    for (const index of this.#fresh) {
      if (this.#known.get(index)?.end !== "acknowledged") this.#known.delete(index);
    }
    this.#fresh = [];
  }

  /** Takes one pod through its life. */
  async write(life: Life, below: (limit: number) => number): Promise<void> {
    const index = this.#nextIndex++;
    const name = `work-${index}`;
    const exitCode = below(3);
    const pod = aPod({ name, index, jobName: "work", jobUid: this.#jobUid });
    const created = await expectDone(life.call("POST", PODS, pod));
    const known: Known = { podUID: created.json.metadata.uid, exitCode, end: "not yet" };
    this.#known.set(index, known);
    this.#fresh.push(index);
    known.end = "sent";
    await end(life, name, exitCode);
    known.end = "acknowledged";
    this.acknowledged++;
    await remove(life, name);
  }

  /**
   * Creates a Job with an attempt and deletes it. The next Job of the same name makes this attempt
   * obsolete, so that the ledger always has something to sweep.
   */
  async tellStory(life: Life): Promise<void> {
    const job = await expectDone(life.call("POST", JOBS, aJob("story")));
    const jobUid: string = job.json.metadata.uid;
    this.#lastStory = jobUid;
    const name = `story-${this.#stories++}`;
    const pod = aPod({ name, index: 0, jobName: "story", jobUid });
    await expectDone(life.call("POST", PODS, pod));
    await end(life, name, 0);
    await remove(life, name);
    await expectDone(life.call("DELETE", `${JOBS}/story?propagationPolicy=Background`));
  }

  /** After a restart: compares the newest indexes, and some of the older ones. */
  async compare(life: Life, below: (limit: number) => number): Promise<void> {
    const older = Array.from({ length: SAMPLE }, () => below(this.#nextIndex + 1));
    await this.#compareIndexes(life, [...this.#fresh, ...older]);
    await this.#compareStory(life);
    await this.#compareSelectors(life);
  }

  async compareAll(life: Life): Promise<void> {
    await this.#compareIndexes(life, [...this.#known.keys()]);
  }

  async #compareIndexes(life: Life, indexes: readonly number[]): Promise<void> {
    for (const index of indexes) {
      const known = this.#known.get(index);
      if (!known) continue;
      const answer = await expectDone(life.call("GET", `${LEDGER}/work/indexes/${index}`));
      const attempts: readonly Attempt[] = answer.json.status.attempts ?? [];
      const ended = attempts.filter(({ exitCode }) => exitCode !== undefined);
      const isRight = attempts.every(({ podUID }) => podUID === known.podUID);
      const isEndRight = ended.every(({ exitCode }) => exitCode === known.exitCode);
      const isThere = known.end === "acknowledged" ? ended.length === 1 : ended.length <= 1;
      const isFull =
        isRight && isEndRight && isThere && (ended.length === 0 || known.end !== "not yet");
      if (!isFull) this.problems.push(`index ${index} ${known.end}: ${JSON.stringify(attempts)}`);
      this.compared++;
    }
  }

  /**
   * The ledger must show only the current Job, however far the sweep of the earlier ones has come.
   */
  async #compareStory(life: Life): Promise<void> {
    const answer = await life.call("GET", `${LEDGER}/story/indexes/0`);
    if (answer.status === 404) return;
    const attempts: readonly Attempt[] = answer.json.status.attempts ?? [];
    const uids = new Set(attempts.map(({ jobUID }) => jobUID));
    const job = await life.call("GET", `${JOBS}/story`);
    const newest = job.status === 200 ? job.json.metadata.uid : this.#lastStory;
    if (uids.size > 1 || (job.status === 200 && uids.size === 1 && !uids.has(newest))) {
      this.problems.push(`the story ${newest} has attempts of ${[...uids]}`);
    }
  }

  /** A list by an index of the store must equal a filtered list of everything. */
  async #compareSelectors(life: Life): Promise<void> {
    const all = (await expectDone(life.call("GET", PODS))).json.items;
    const jobNames = new Set<string>(["work", "story", "nobody"]);
    for (const jobName of jobNames) {
      const selected = `${PODS}?labelSelector=batch.kubernetes.io/job-name=${jobName}`;
      const expected = all.filter((pod: PodItem) => pod.metadata.labels[JOB_NAME] === jobName);
      this.#compareNames((await expectDone(life.call("GET", selected))).json.items, expected);
    }
    const bound = await expectDone(life.call("GET", `${PODS}?fieldSelector=spec.nodeName=${NODE}`));
    this.#compareNames(bound.json.items, all);
  }

  #compareNames(found: readonly PodItem[], expected: readonly PodItem[]): void {
    const names = (items: readonly PodItem[]) => items.map(({ metadata }) => metadata.name).join();
    if (names(found) === names(expected)) return;
    this.problems.push(`an index finds ${names(found)}, there are ${names(expected)}`);
  }
}

interface PodItem {
  readonly metadata: {
    readonly name: string;
    readonly labels: { readonly [name: string]: string };
  };
}

const JOB_NAME = "batch.kubernetes.io/job-name";
const INDEX = "batch.kubernetes.io/job-completion-index";

function aJob(name: string): object {
  const spec = { completionMode: "Indexed", completions: 1_000_000, parallelism: 1 };
  const template = { spec: POD_SPEC };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...spec, template } };
}

function aPod(of: { name: string; index: number; jobName: string; jobUid: string }): object {
  const { name, jobName, jobUid } = of;
  const index = String(of.index);
  const owner = { apiVersion: "batch/v1", kind: "Job", name: jobName, uid: jobUid };
  const metadata = {
    name,
    labels: { [JOB_NAME]: jobName, "batch.kubernetes.io/controller-uid": jobUid, [INDEX]: index },
    annotations: { [INDEX]: index },
    ownerReferences: [{ ...owner, controller: true }],
  };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { ...POD_SPEC, nodeName: NODE } };
}

async function end(life: Life, name: string, exitCode: number): Promise<void> {
  const terminated = { exitCode, reason: "x", finishedAt: "2026-01-01T00:00:00Z" };
  const container = { name: "c", image: "i", imageID: "", ready: false, restartCount: 0 };
  const status = {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [{ ...container, state: { terminated } }],
  };
  const type = { "Content-Type": "application/merge-patch+json" };
  await expectDone(life.call("PATCH", `${PODS}/${name}/status`, { status }, type));
}

async function remove(life: Life, name: string): Promise<void> {
  await expectDone(life.call("DELETE", `${PODS}/${name}?gracePeriodSeconds=0`));
}

async function expectDone(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status < 300) return answer;
  throw new Error(`${answer.status} ${answer.text}`);
}
