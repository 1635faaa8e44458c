/** Asks once, in the way the probe says, and no longer than it may take. */
import { mkdirSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Container, Pod, Probe } from "../../api/generated/core.ts";
import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/describe-error.ts";
import type { ComposedSurroundings } from "../compose-run.ts";
import { resolvePort } from "../hooks/http-hook.ts";
import type { RunId, Runtime } from "../runtimes/runtime.ts";
import type { ProbeWarning } from "./http-probe.ts";
import { type ProbeKind, timeoutMs } from "./results.ts";

export interface CarryOutOptions {
  readonly clock: Clock;
  readonly runtime: Pick<Runtime, "exec">;
  readonly surround: (pod: Pod, container: Container) => ComposedSurroundings;
  readonly podIp: (pod: Pod) => string;
  /** Where commands leave what they print until it is read; absent: it is not heard. */
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

const LONGEST_OUTPUT_BYTES = 10 * 1024;

export function probeCarrier(options: CarryOutOptions): CarryOut {
  const { clock } = options;
  let count = 0;
  return async (asked, signal) => {
    const late = new AbortController();
    const timer = clock.schedule(timeoutMs(asked.probe), () => late.abort());
    const either = AbortSignal.any([signal, late.signal]);
    try {
      if (!asked.probe.exec) return await request(options, asked, either);
      count++;
      const name = `${asked.kind}-${clock.nowMs().toString(36)}-${count}`;
      return await execute(options, asked, { name, signal: either });
    } catch (error) {
      return { error: describeError(error) };
    } finally {
      timer.cancel();
    }
  };
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

async function execute(
  { runtime, surround, directory }: CarryOutOptions,
  { pod, container, id, probe }: AskedProbe,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<ProbeOutcome> {
  const { command = [] } = probe.exec ?? {};
  const around = surround(pod, container);
  if ("problem" in around) return { error: around.problem.message };
  const { environment, workingDirectory, settings } = around;
  const outputFile = directory === undefined ? undefined : join(directory, `${id.podUid}-${name}`);
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  try {
    const exitCode = await runtime.exec(
      {
        of: id,
        name,
        command,
        environment,
        isPassing: true,
        ...(workingDirectory === undefined ? {} : { workingDirectory }),
        ...(settings === undefined ? {} : { settings }),
        ...(outputFile === undefined ? {} : { outputFile }),
      },
      signal,
    );
    if (signal.aborted) {
      return { isSuccess: false, output: `command ${JSON.stringify(command.join(" "))} timed out` };
    }
    if (exitCode === 0) return { isSuccess: true, output: "" };
    return { isSuccess: false, output: await readOutput(outputFile) };
  } finally {
    if (outputFile !== undefined) await rm(outputFile, { force: true });
  }
}

async function readOutput(file: string | undefined): Promise<string> {
  if (file === undefined) return "";
  try {
    const opened = await open(file, "r");
    try {
      const { bytesRead, buffer } = await opened.read(Buffer.alloc(LONGEST_OUTPUT_BYTES));
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await opened.close();
    }
  } catch {
    return "";
  }
}
