/**
 * Pure: what an embedded engine is started with and what it answers: the contract of engine.ts.
 */
import type { Log } from "./base/log.ts";

/** PEM texts. */
export interface ServingCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface EngineOptions {
  /** Exists, and nobody but its owner can read it. */
  readonly dataDir: string;
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Plain HTTP without a token, on 127.0.0.1 only. Absent: not served. 0 for any free port. */
  readonly insecurePort?: number;
  /** Whether this machine is a node that runs pods. */
  readonly agent: boolean;
  readonly controllers: "all" | "none" | readonly string[];
  readonly serviceCidr: string;
  readonly certificates: ServingCertificates;
  /** The bearer token of the administrator. */
  readonly token: string;
  readonly log: Log;
}

/** The controllers an engine can run, by the names that --controllers takes. */
export const CONTROLLERS: readonly string[] = [
  "garbage",
  "job",
  "namespace",
  "rootca",
  "serviceaccount",
  "ttl",
];

export interface Engine {
  /** "https://127.0.0.1:6443", with the port really listened on. */
  readonly url: string;
  readonly insecureUrl?: string;
  /** Settles when every connection is closed and the store is synced. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Why an engine did not start, as the `code` of the Error: "EADDRINUSE" and the other codes of
 * listen(2), or this one when another process holds the data directory.
 */
export const DATA_DIRECTORY_IN_USE = "DataDirectoryInUse";
