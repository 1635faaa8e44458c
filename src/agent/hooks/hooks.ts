/**
 * The lifecycle hooks of containers: begun here, never waited for; how they went is told to the
 * pod's record and wakes the pod. What follows from that is the plan's to say.
 *
 * A hook that is cut short, by the end of its container or because the pod has to end, has failed.
 */
import type { Container, LifecycleHandler, Pod } from "../../api/generated/core.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { TellOfPod } from "../admit.ts";
import type { ComposedSurroundings } from "../compose-run.ts";
import { findContainer } from "../find-container.ts";
import { postStartEnded, preStopEnded } from "../pod/transitions.ts";
import type { PodRecord } from "../pod-record.ts";
import type { RunId, Runtime } from "../runtimes/runtime.ts";
import { type HttpHook, requestHook } from "./http-hook.ts";

export type HookName = "postStart" | "preStop";

export interface HooksOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<Runtime, "exec">;
  /** What the run has around it, or what is in the way. */
  readonly surround: (pod: Pod, container: Container) => ComposedSurroundings;
  readonly podIp: (pod: Pod) => string;
  readonly tell: TellOfPod;
  readonly wake: (uid: string) => void;
}

const RETRIED = "retry with HTTP succeeded";
const FAILURES = {
  postStart: { reason: "FailedPostStartHook", message: "PostStartHook failed" },
  preStop: { reason: "FailedPreStopHook", message: "PreStopHook failed" },
} as const;

export class Hooks {
  private readonly running = new Map<string, AbortController>();
  private readonly closing = new AbortController();

  constructor(private readonly options: HooksOptions) {}

  begin(record: PodRecord, id: RunId, hook: HookName): void {
    const key = keyOf(id, hook);
    const cut = new AbortController();
    this.running.set(key, cut);
    void this.carryOut(record.pod, id, hook, cut.signal)
      .then(
        () => true,
        (error) => this.failed(record, id, hook, error),
      )
      .then((isThrough) => {
        this.running.delete(key);
        record.facts =
          hook === "postStart"
            ? postStartEnded(record.facts, id, !isThrough)
            : preStopEnded(record.facts, id);
        this.options.wake(id.podUid);
      });
  }

  /** What runs beside a container goes on with it; what this server does itself ends. */
  close(): void {
    this.closing.abort();
  }

  cancel(id: RunId, hook: HookName): void {
    if (this.running.size > 0) this.running.get(keyOf(id, hook))?.abort();
  }

  private failed(record: PodRecord, id: RunId, hook: HookName, error: unknown): false {
    const { container } = id;
    // What the hook said may hold secrets: it is for whoever may read the log of this server.
    this.options.log.warn("a lifecycle hook failed", { ...id, hook, error });
    this.options.tell(record.pod, "Warning", { ...FAILURES[hook], container });
    return false;
  }

  private async carryOut(pod: Pod, id: RunId, hook: HookName, signal: AbortSignal): Promise<void> {
    const container = findContainer(pod, id.container);
    const handler = container?.lifecycle?.[hook];
    if (container === undefined || handler === undefined) return;
    const { exec, httpGet, sleep } = handler;
    const ours = AbortSignal.any([signal, this.closing.signal]);
    if (exec) await this.execute({ pod, container, id, hook, exec }, signal);
    else if (httpGet) await this.request({ pod, container, httpGet }, ours);
    else if (sleep) await this.sleep(sleep.seconds, ours);
    // As in Kubernetes, which has kept tcpSocket for those who had it and never carried it out.
    else throw new Error("a handler of this kind cannot be carried out");
  }

  private async execute(
    { pod, container, id, hook, exec }: ExecHook,
    signal: AbortSignal,
  ): Promise<void> {
    const { command = [] } = exec;
    if (command.length === 0) throw new Error("the hook has no command");
    const around = this.options.surround(pod, container);
    if ("problem" in around) throw new Error(around.problem.message);
    const { environment, workingDirectory, settings } = around;
    const exitCode = await this.options.runtime.exec(
      {
        of: id,
        name: hook,
        command,
        environment,
        ...(workingDirectory === undefined ? {} : { workingDirectory }),
        ...(settings === undefined ? {} : { settings }),
      },
      signal,
    );
    if (exitCode !== 0) throw new Error(`the command exited with ${exitCode}`);
  }

  private async request(
    { pod, container, httpGet }: Pick<HttpHook, "container" | "httpGet"> & { readonly pod: Pod },
    signal: AbortSignal,
  ): Promise<void> {
    const { tell } = this.options;
    const podIp = this.options.podIp(pod);
    const host = await requestHook({ container, httpGet, podIp }, signal);
    if (host === undefined) return;
    const message = `request to HTTPS lifecycle hook ${host} got HTTP response, ${RETRIED}`;
    tell(pod, "Warning", { reason: "LifecycleHTTPFallback", message });
  }

  /** A container that is gone has slept enough. */
  private sleep(seconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.options.clock.schedule(seconds * 1000, resolve);
      signal.addEventListener("abort", () => {
        timer.cancel();
        resolve();
      });
    });
  }
}

interface ExecHook {
  readonly pod: Pod;
  readonly container: Container;
  readonly id: RunId;
  readonly hook: HookName;
  readonly exec: NonNullable<LifecycleHandler["exec"]>;
}

function keyOf({ podUid, container, attempt }: RunId, hook: HookName): string {
  return `${podUid}/${container}/${attempt}/${hook}`;
}
