/** A server with its node, as a user has it: tests create objects and read their status. */
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Job } from "../../src/api/generated/batch.ts";
import type { Event, Pod } from "../../src/api/generated/core.ts";
import { type Answer, startTally, type Tally, type TallyOptions } from "../support/tally.ts";
import { describeObject } from "../support/testimony.ts";
import { type Awaited, until } from "../support/waits.ts";

export { until };

type Fields = { readonly [key: string]: unknown };

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const CORE = "/api/v1/namespaces/default";

export class Cluster {
  private constructor(
    public tally: Tally,
    private readonly options: TallyOptions,
  ) {}

  static async start(options: TallyOptions = {}): Promise<Cluster> {
    return new Cluster(await startTally({ ...options, hasAgent: true }), options);
  }

  /** Starts another server on the data of one that is gone, perhaps with other flags. */
  async startAgain(args = this.options.args ?? []): Promise<void> {
    const { dataDir } = this.tally;
    this.tally = await startTally({ ...this.options, args, hasAgent: true, dataDir });
  }

  /** The pid of the process that starts all others: the name of its lock begins with it. */
  spawner(): number | undefined {
    const [holder] = readdirSync(path.join(this.tally.dataDir, "agent", "lock"));
    return holder === undefined ? undefined : Number(holder.split("-")[0]);
  }

  async create(collection: string, object: Fields): Promise<void> {
    created(await this.tally.call("POST", collection, object));
  }

  /** Creates a Job from the YAML that its author wrote. */
  async createWrittenJob(text: string): Promise<void> {
    created(await this.tryWrittenJob(text));
  }

  tryWrittenJob(text: string): Promise<Answer> {
    return this.tally.call("POST", JOBS, text, { "Content-Type": "application/yaml" });
  }

  createPod(name: string, spec: Fields, metadata: Fields = {}): Promise<void> {
    const whole = { restartPolicy: "Never", ...spec };
    const own = { name, ...metadata };
    return this.create(`${CORE}/pods`, { kind: "Pod", metadata: own, spec: whole });
  }

  createJob(name: string, spec: Fields, pod: Fields): Promise<void> {
    const template = { spec: { restartPolicy: "Never", ...pod } };
    const whole = { completionMode: "Indexed", ...spec, template };
    return this.create(JOBS, { kind: "Job", metadata: { name }, spec: whole });
  }

  createConfigMap(name: string, data: Fields): Promise<void> {
    return this.create(`${CORE}/configmaps`, { kind: "ConfigMap", metadata: { name }, data });
  }

  async setConfigMap(name: string, data: Fields): Promise<void> {
    const headers = { "Content-Type": "application/merge-patch+json" };
    await this.tally.call("PATCH", `${CORE}/configmaps/${name}`, { data }, headers);
  }

  createSecret(name: string, stringData: Fields): Promise<void> {
    return this.create(`${CORE}/secrets`, { kind: "Secret", metadata: { name }, stringData });
  }

  async findPod(name: string): Promise<Pod | undefined> {
    const { status, json } = await this.tally.call("GET", `${CORE}/pods/${name}`);
    return status === 200 ? json : undefined;
  }

  async podsOf(job: string): Promise<readonly Pod[]> {
    const selector = `labelSelector=batch.kubernetes.io/job-name=${job}`;
    const { json } = await this.tally.call("GET", `${CORE}/pods?${selector}`);
    return json.items;
  }

  /** Evicts a pod, as draining the node does. */
  async evictPod(name: string): Promise<void> {
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
    created(await this.tally.call("POST", `${CORE}/pods/${name}/eviction`, eviction));
  }

  async deletePod(name: string, graceSeconds: number): Promise<void> {
    const query = `gracePeriodSeconds=${graceSeconds}`;
    await this.tally.call("DELETE", `${CORE}/pods/${name}?${query}`);
  }

  async log(pod: string, query = ""): Promise<string> {
    return (await this.tally.call("GET", `${CORE}/pods/${pod}/log?${query}`)).text;
  }

  /** The file that holds the output of its first run. */
  logFile({ metadata }: Pod): string {
    const directory = path.join(this.tally.dataDir, "logs");
    const files = readdirSync(directory, { encoding: "utf8", recursive: true });
    const own = (file: string) => file.includes(metadata.uid ?? "") && file.endsWith("0.log");
    return path.join(directory, files.find(own) ?? "");
  }

  /** The events of an object, each as "REASON: MESSAGE". */
  async eventsOf(name: string): Promise<readonly string[]> {
    const query = `fieldSelector=involvedObject.name=${name}`;
    const { json } = await this.tally.call("GET", `${CORE}/events?${query}`);
    return json.items.map(({ reason, message }: Event) => `${reason}: ${message}`);
  }

  async findJob(name: string): Promise<Job> {
    return (await this.tally.call("GET", `${JOBS}/${name}`)).json;
  }

  async patchJob(name: string, patch: Fields): Promise<void> {
    const headers = { "Content-Type": "application/merge-patch+json" };
    await this.tally.call("PATCH", `${JOBS}/${name}`, patch, headers);
  }

  /** Waits until the Job is complete or failed, and returns it. */
  async finished(name: string): Promise<Job> {
    let job: Job | undefined;
    const isFinished = async () => {
      job = await this.findJob(name);
      return ["Complete", "Failed"].includes(lastCondition(job) ?? "");
    };
    await until(isFinished, this.awaited(`Job ${name} to finish`, `${JOBS}/${name}`));
    return job as Job;
  }

  /** Waits until the pod satisfies the condition, and returns it. */
  async podThat(name: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
    let pod: Pod | undefined;
    const what = `pod ${name} to be such that ${isSo}`;
    await until(
      async () => {
        pod = await this.findPod(name);
        return pod !== undefined && isSo(pod);
      },
      this.awaited(what, `${CORE}/pods/${name}`),
    );
    return pod as Pod;
  }

  over(name: string): Promise<Pod> {
    return this.podThat(name, ({ status }) => /Succeeded|Failed/.test(status.phase ?? ""));
  }

  gone(name: string): Promise<void> {
    const isGone = async () => (await this.findPod(name)) === undefined;
    return until(isGone, this.awaited(`pod ${name} to be gone`, `${CORE}/pods/${name}`));
  }

  private awaited(what: string, path: string): Awaited {
    return { what, describe: () => describeObject(this.tally.call, path) };
  }

  dispose(): Promise<void> {
    return this.tally.dispose();
  }
}

function created({ status, text }: Answer): void {
  if (status !== 201) throw new Error(`${status}: ${text}`);
}

/** A container "c" that runs a script with sh. */
export function script(text: string, fields: Fields = {}): Fields {
  return { name: "c", image: "busybox:1.36", command: ["sh", "-c", text], ...fields };
}

export function lastCondition({ status }: Job): string | undefined {
  return status.conditions?.findLast((condition) => condition.status === "True")?.type;
}

/** The state of the container "c", or of another one. */
export function stateOf({ status }: Pod, name = "c") {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return all.find((each) => each.name === name)?.state;
}
