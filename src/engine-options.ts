/**
 * Pure: what an embedded engine is started with and what it answers: the contract of engine.ts.
 */
import type { Client } from "./api/client.ts";
import type { FeatureGates } from "./api/feature-gates.ts";
import type { NamedRuntime } from "./api/shared-runtimes.ts";
import type { Cidr } from "./base/address.ts";
import type { Backoff } from "./base/backoff.ts";
import type { Log } from "./base/log.ts";
import type { LedgerReader } from "./ledger/reader.ts";

/** The name of an engine's socket in its data directory. */
export const SOCKET = "tally.sock";

/** PEM texts. */
export interface ServingCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Of every engine. One with these alone is reached from its own process and by its socket. */
export interface CoreOptions {
  /** Exists, and nobody but its owner can read it. */
  readonly dataDir: string;
  /** Where it listens in the data directory, for its owner alone and without a token. */
  readonly socket?: string;
  /** This machine as a node that runs pods; absent: it is none. */
  readonly agent?: AgentMeasures;
  readonly controllers: "all" | "none" | readonly string[];
  readonly serviceCidr: string;
  /** After so long without a sign of it a node is lost; absent: as in Kubernetes. */
  readonly nodeGraceMs?: number;
  /** Absent: the Job controller's own measures. */
  readonly jobs?: JobMeasures;
  /** All features are on where it is absent. */
  readonly featureGates?: FeatureGates;
  /** Whether the owners of fields are kept of pods and events, too, that components make. */
  readonly tracksAllFields?: boolean;
  /** Whoever may create pods must not get the host by it; absent: the server is alone. */
  readonly sharing?: { readonly allowedRuntimes: readonly NamedRuntime[] };
  readonly log: Log;
}

/** Of an engine that is a server on the network, too. */
export interface EngineOptions extends CoreOptions {
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Plain HTTP without a token, on 127.0.0.1 only. Absent: not served. 0 for any free port. */
  readonly insecurePort?: number;
  readonly certificates: ServingCertificates;
  /** The bearer token of the administrator. */
  readonly token: string;
  /** Who may do what; absent: what roles and bindings say. */
  readonly authorization?: AuthorizationMode;
  /** A file in which every request is noted; absent: none is. */
  readonly auditLog?: string;
  /** The text of an AdmissionConfiguration, and where it came from. */
  readonly admission?: { readonly file: string; readonly text: string };
}

/** Kubernetes' own words. */
export const AUTHORIZATION_MODES = ["RBAC", "AlwaysAllow"] as const;
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

export interface AgentMeasures {
  /** Absent: the name of the machine. */
  readonly nodeName?: string;
  readonly maxPods: number;
  /** What processes have of our own environment; absent: little, see docs/agent.md. */
  readonly environment?: "whole";
  /** What becomes of running pods when the engine stops. */
  readonly onExit: "terminate" | "leave";
  readonly sandbox: SandboxMeasures;
  readonly strictLimits: boolean;
  /** Whether limits are enforced where control groups can be made. */
  readonly usesCgroups: boolean;
  /** Of the output of one run of a container; 0 for no limit. */
  readonly logMaxBytes: number;
  /** What becomes of a run that prints more: it goes on unheard, or is failed. */
  readonly onLogLimit: "cut" | "fail";
}

/** Where pods run that name no runtime, and what sandboxes are like. */
export interface SandboxMeasures {
  /** "auto": a process of the host, unless the pod needs more than that. */
  readonly defaultRuntime: "auto" | "process" | "sandbox" | "engine" | "docker" | "podman";
  /** The addresses of pods with a network of their own. */
  readonly podCidr: Cidr;
  /** Those of pods whose containers are an engine's. */
  readonly enginePodCidr: Cidr;
  /** Directories of the host that every sandbox has, and writes to. */
  readonly sharedPaths: readonly string[];
}

/** What the Job controller can be tuned by. */
export interface JobMeasures {
  /** Between pods after failures. */
  readonly backoff: Backoff;
  /** How long events may be gathered before they are looked at. */
  readonly batch: { readonly longestMs: number };
  /** Jobs at once. */
  readonly workers: number;
  /** Pods that one sync creates or removes. */
  readonly podsPerSync: number;
}

/** The controllers an engine can run, by the names that --controllers takes. */
export const CONTROLLERS: readonly string[] = [
  "clusterroleaggregation",
  "cronjob",
  "disruption",
  "endpoints",
  "garbage",
  "job",
  "namespace",
  "nodelifecycle",
  "podgc",
  "resourcequota",
  "rootca",
  "scheduledjob",
  "scheduler",
  "serviceaccount",
  "statefulset",
  "storage",
  "tainteviction",
  "ttl",
  "unattended",
  "workflow",
];

export interface CoreEngine {
  /** Of components in the same process: sees writes before they are on disk. */
  readonly client: Client;
  readonly ledger: LedgerReader;
  /** Settles when its node runs pods and has told of those that are over; may reject. */
  readonly begun: Promise<void>;
  /** Settles when every connection is closed and the store is synced. Safe to call twice. */
  stop(): Promise<Stopped>;
}

export interface Stopped {
  /** Pods whose processes go on. */
  readonly leftRunning: number;
}

/** What an engine on the network is known by. */
export interface Served {
  /** "https://127.0.0.1:6443", with the port really listened on. */
  readonly url: string;
  readonly insecureUrl?: string;
}

export type Engine = CoreEngine & Served;

/**
 * Why an engine did not start, as the `code` of the Error: "EADDRINUSE" and the other codes of
 * listen(2), or this one when another process holds the data directory.
 */
export const DATA_DIRECTORY_IN_USE = "DataDirectoryInUse";
