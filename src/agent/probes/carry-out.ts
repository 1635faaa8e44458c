/** Asks once, in the way the probe says, and no longer than it may take. */
import { join } from "node:path";
import type { Container, Pod, Probe } from "../../api/generated/core.ts";
import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/describe-error.ts";
import type { ComposedSurroundings } from "../compose-run.ts";
import { resolvePort } from "../hooks/http-hook.ts";
import type { RunId, Runtime } from "../runtimes/runtime.ts";
import type { ProbeWarning } from "./http-probe.ts";
import { ProbeOutput } from "./probe-output.ts";
import { type ProbeKind, timeoutMs } from "./results.ts";

export interface CarryOutOptions {
  readonly clock: Clock;
  readonly runtime: Pick<Runtime, "exec">;
  readonly surround: (pod: Pod, container: Container) => ComposedSurroundings;
  readonly podIp: (pod: Pod) => string;
  /** Where commands print to; absent: nowhere. */
  readonly directory?: string;
}

export interface AskedProbe {
  readonly pod: Pod;
  readonly container: Container;
  readonly id: RunId;
  readonly kind: ProbeKind;
  readonly probe: Probe;
}

/** An error says nothing of the container. */
export type ProbeOutcome = ProbeWarning | { readonly error: string };

export type CarryOut = (asked: AskedProbe, signal: AbortSignal) => Promise<ProbeOutcome>;

export interface ProbeCarrier {
  readonly carryOut: CarryOut;
  /** The run is over: what its probes have printed can go. */
  forget(id: RunId, kind: ProbeKind): void;
  /** Runs go on, and so does what probes have left behind in them. */
  close(): void;
}

export function probeCarrier(options: CarryOutOptions): ProbeCarrier {
  const { clock, directory } = options;
  const outputs = new Map<string, ProbeOutput>();
  const outputOf = (id: RunId, kind: ProbeKind): ProbeOutput | undefined => {
    if (directory === undefined) return undefined;
    const key = keyOf(id, kind);
    const output = outputs.get(key) ?? new ProbeOutput(join(directory, key), clock);
    outputs.set(key, output);
    return output;
  };
  let count = 0;
  const carryOut: CarryOut = async (asked, signal) => {
    const late = new AbortController();
    const timer = clock.schedule(timeoutMs(asked.probe), () => late.abort());
    const either = AbortSignal.any([signal, late.signal]);
    try {
      if (!asked.probe.exec) return await request(options, asked, either);
      count++;
      const name = `${asked.kind}-${clock.nowMs().toString(36)}-${count}`;
      const output = outputOf(asked.id, asked.kind);
      return await execute(options, asked, { name, signal: either, output });
    } catch (error) {
      return { error: describeError(error) };
    } finally {
      timer.cancel();
    }
  };
  return {
    carryOut,
    forget: (id, kind) => {
      const key = keyOf(id, kind);
      void outputs.get(key)?.close({ removes: true });
      outputs.delete(key);
    },
    close: () => {
      for (const output of outputs.values()) void output.close({ removes: false });
      outputs.clear();
    },
  };
}

function keyOf({ podUid, container, attempt }: RunId, kind: ProbeKind): string {
  return `${podUid}-${container}-${attempt}-${kind}`;
}

/** What talks to the network is loaded by whoever first needs it. */
async function request(
  { podIp }: CarryOutOptions,
  { pod, container, probe }: AskedProbe,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const { httpGet, tcpSocket, grpc } = probe;
  const address = podIp(pod);
  if (httpGet) {
    const { probeHttp } = await import("./http-probe.ts");
    return probeHttp({ container, httpGet, podIp: address }, signal);
  }
  if (tcpSocket) {
    const { probeTcp } = await import("./tcp-probe.ts");
    const host = tcpSocket.host ? tcpSocket.host : address;
    return probeTcp(host, resolvePort(container, tcpSocket.port), signal);
  }
  if (grpc) {
    const { probeGrpc } = await import("./grpc-probe.ts");
    const { port, service = "" } = grpc;
    return probeGrpc({ host: address, port, service, timeoutMs: timeoutMs(probe) }, signal);
  }
  return { error: "missing probe handler" };
}

interface Execution {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly output: ProbeOutput | undefined;
}

async function execute(
  { runtime, surround }: CarryOutOptions,
  { pod, container, id, probe }: AskedProbe,
  { name, signal, output }: Execution,
): Promise<ProbeOutcome> {
  const { command = [] } = probe.exec ?? {};
  const around = surround(pod, container);
  if ("problem" in around) return { error: around.problem.message };
  const { environment, workingDirectory, settings } = around;
  await output?.begin();
  let printed = "";
  let exitCode: number;
  try {
    exitCode = await runtime.exec(
      {
        of: id,
        name,
        command,
        environment,
        isPassing: true,
        ...(workingDirectory === undefined ? {} : { workingDirectory }),
        ...(settings === undefined ? {} : { settings }),
        ...(output === undefined ? {} : { outputFile: output.file }),
      },
      signal,
    );
  } finally {
    // What cannot be read is as good as not printed.
    printed = (await output?.end().catch(() => "")) ?? "";
  }
  if (signal.aborted) {
    return { isSuccess: false, output: `command ${JSON.stringify(command.join(" "))} timed out` };
  }
  return { isSuccess: exitCode === 0, output: exitCode === 0 ? "" : printed };
}
