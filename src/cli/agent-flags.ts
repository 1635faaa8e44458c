/** Pure: the flags of "tally agent": their defaults, and what is wrong with what was given. */
import { parseAddress } from "../base/address.ts";
import type { LogLevel } from "../base/log-level.ts";
import { wrong } from "../command/flags.ts";
import type { AgentMeasures } from "../engine-options.ts";
import {
  type AgentMeasureFlags,
  readAgent,
  readLogLevel,
  readPort,
  UP_DEFAULTS,
} from "./up-flags.ts";

/** As given: every value is text, absent where the flag was not used. */
export interface AgentFlags extends AgentMeasureFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly data?: string;
  readonly address: string;
  readonly port: string;
  readonly clientCaFile?: string;
  readonly logLevel: string;
}

export const AGENT_DEFAULTS: AgentFlags = {
  ...UP_DEFAULTS,
  address: "127.0.0.1",
  port: "0",
};

export interface AgentSettings {
  readonly address: string;
  readonly port: number;
  readonly agent: AgentMeasures;
  readonly logLevel: LogLevel;
}

/** Throws a UsageError for the first flag that cannot be used. */
export function readAgentFlags(flags: AgentFlags): AgentSettings {
  const { kubeconfig, clientCaFile, data, address } = flags;
  if (kubeconfig === "") throw wrong("--kubeconfig", "", "must name a file");
  if (clientCaFile === "") throw wrong("--client-ca-file", "", "must name a file");
  if (data === "") throw wrong("--data", "", "must name a directory");
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.every((byte) => byte === 0)) {
    throw wrong("--address", address, "must be an address by which this machine is reached");
  }
  return {
    address,
    port: readPort("--port", flags.port),
    agent: readAgent(flags),
    logLevel: readLogLevel(flags.logLevel),
  };
}
