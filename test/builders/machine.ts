/**
 * A machine for tests of commands: it records output, and sends signals when the test asks for it.
 */

import { terminalText } from "../../src/base/terminal-text.ts";
import type { Machine, StopSignal } from "../../src/command/machine.ts";

export interface TestMachine extends Machine {
  out(): string;
  error(): string;
  signal(signal: StopSignal): void;
  exitCodes(): readonly number[];
}

export function testMachine(overrides: Partial<Machine> = {}): TestMachine {
  const written = { out: "", error: "" };
  const listeners = new Set<(signal: StopSignal) => void>();
  const exitCodes: number[] = [];
  return {
    environment: {},
    workingDirectory: "/nowhere",
    captureEnvironment: () => ({
      variables: new Uint8Array(),
      workingDirectory: "/nowhere",
      umask: "0022",
      limits: "",
    }),
    home: "/nowhere",
    hostName: "box",
    addresses: () => [],
    canMakeNetworks: () => false,
    writeOut: (text) => {
      written.out += text;
    },
    writeError: (text) => {
      written.error += terminalText(text);
    },
    writeControls: (text) => {
      written.error += text;
    },
    writeBytes: async (bytes) => {
      written.out += Buffer.from(bytes).toString("utf8");
    },
    readInput: async () => "",
    readInputBytes: async () => Buffer.alloc(0),
    onReaderGone: () => {},
    writeErrorBytes: async (bytes) => {
      written.error += Buffer.from(bytes).toString("utf8");
    },
    hasReader: false,
    hasOutReader: false,
    outFileMode: () => undefined,
    terminalSize: () => [80, 24],
    onKey: () => undefined,
    processors: 2,
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code) => exitCodes.push(code),
    out: () => written.out,
    error: () => written.error,
    signal: (signal) => {
      for (const listener of listeners) listener(signal);
    },
    exitCodes: () => exitCodes,
    ...overrides,
  };
}
