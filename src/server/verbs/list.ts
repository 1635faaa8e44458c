/** GET of a collection: the newest state or a revision, complete or in pages. */
import { ApiError, badRequest, expired, invalidObject } from "../../api/errors.ts";
import { type Finding, forbidden, notSupported, quote } from "../../api/finding.ts";
import type { KubeObject } from "../../api/object.ts";
import { type Kind, storageResource } from "../../kinds/kind.ts";
import { ExpiredRevision, type ListResult } from "../../store/types.ts";
import { fromStored, type ServerContext } from "../context.ts";
import { type ContinueToken, formatContinue, parseContinue } from "./continue-token.ts";
import { parseSelection, type Selection } from "./selection.ts";

export interface ListOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly watch?: boolean;
}

export interface Listed {
  readonly items: readonly KubeObject[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

export function list(
  server: ServerContext,
  kind: Kind,
  namespace: string | undefined,
  options: ListOptions,
): Listed {
  validateListOptions(options);
  const selection = parseSelection(kind, options);
  const scope = kind.namespaced ? namespace : "";
  const start = options.continue ? parseContinue(options.continue, scope) : undefined;
  if (start && !isAnyRevision(options)) {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const at = start ? revisionOf(start) : exactRevision(server, options);
  const result = listStored(server, kind, namespace, options, selection, start, at);
  const last = result.items.at(-1);
  const items = kind.storedAs
    ? result.items.map((stored) => fromStored(kind, stored))
    : result.items;
  return {
    items,
    metadata: {
      resourceVersion: String(result.revision),
      ...(result.more && last
        ? { continue: formatContinue(result.revision, last.metadata, scope) }
        : {}),
      ...(result.more && result.remaining !== undefined
        ? { remainingItemCount: result.remaining }
        : {}),
    },
  };
}

function listStored(
  server: ServerContext,
  kind: Kind,
  namespace: string | undefined,
  options: ListOptions,
  selection: Selection,
  start: ContinueToken | undefined,
  at: number | undefined,
): ListResult {
  const { matches, lookup } = selection;
  try {
    return server.store.list(storageResource(kind), {
      ...(namespace === undefined ? {} : { namespace }),
      ...(at === undefined ? {} : { at }),
      ...(start ? { after: start.after } : {}),
      ...(options.limit && !isFromCache(options) ? { limit: options.limit } : {}),
      ...(matches ? { matches: viewed(kind, matches) } : {}),
      ...(lookup ? { lookup } : {}),
    });
  } catch (error) {
    if (!(error instanceof ExpiredRevision)) throw error;
    if (start) throw expiredContinue(start, kind.namespaced ? namespace : "");
    throw expired(`The resourceVersion for the provided list is too old.`);
  }
}

/** Kubernetes serves resourceVersion=0 from its cache, which does not support pages. */
function isFromCache({ resourceVersion }: ListOptions): boolean {
  return resourceVersion === "0";
}

function isAnyRevision({ resourceVersion = "" }: ListOptions): boolean {
  return resourceVersion === "" || resourceVersion === "0";
}

function viewed(kind: Kind, matches: (object: KubeObject) => boolean) {
  return kind.storedAs ? (stored: KubeObject) => matches(fromStored(kind, stored)) : matches;
}

export function validateListOptions(options: ListOptions): void {
  const findings = options.watch ? watchFindings(options) : listFindings(options);
  if (findings.length === 0) return;
  throw invalidObject({ group: "meta.k8s.io", kind: "ListOptions" }, "", findings);
}

function listFindings(options: ListOptions): Finding[] {
  const field = "resourceVersionMatch";
  const findings: Finding[] = [];
  const match = options.resourceVersionMatch ?? "";
  if (match !== "") {
    if (!options.resourceVersion) {
      findings.push(forbidden(field, `${field} is forbidden unless resourceVersion is provided`));
    }
    if (options.continue) {
      findings.push(forbidden(field, `${field} is forbidden when continue is provided`));
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      findings.push(notSupported(field, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && options.resourceVersion === "0") {
      findings.push(forbidden(field, `${field} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    findings.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return findings;
}

function watchFindings(options: ListOptions): Finding[] {
  const field = "resourceVersionMatch";
  const findings: Finding[] = [];
  // A watch without a revision implies sendInitialEvents and NotOlderThan.
  const isSilent = options.sendInitialEvents === undefined && !options.resourceVersionMatch;
  const startsOver = isSilent && isAnyRevision(options);
  const match = startsOver ? "NotOlderThan" : (options.resourceVersionMatch ?? "");
  if (options.sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const problem = `sendInitialEvents requires setting ${field} to NotOlderThan`;
    findings.push(forbidden(field, problem));
  }
  if (match === "") return findings;
  if (options.sendInitialEvents === undefined && !startsOver) {
    const problem = `${field} is forbidden for watch unless sendInitialEvents is provided`;
    findings.push(forbidden(field, problem));
  }
  if (match !== "NotOlderThan") findings.push(notSupported(field, match, ["NotOlderThan"]));
  if (options.continue) {
    findings.push(forbidden(field, `${field} is forbidden when continue is provided`));
  }
  return findings;
}

export function parseRevision(text: string, prefix = ""): number {
  const reason = !/^[0-9]+$/.test(text)
    ? "invalid syntax"
    : BigInt(text) > UINT64_MAX
      ? "value out of range"
      : undefined;
  if (reason === undefined) return Number(text);
  const problem = `strconv.ParseUint: parsing ${quote(text)}: ${reason}`;
  throw badRequest(`${prefix}resourceVersion: Invalid value: ${quote(text)}: ${problem}`);
}

const UINT64_MAX = 2n ** 64n - 1n;

/** The revision that a list must show; undefined if the newest is sufficient. */
function exactRevision(server: ServerContext, options: ListOptions): number | undefined {
  if (isAnyRevision(options)) return undefined;
  const text = options.resourceVersion ?? "";
  const revision = parseRevision(text, "invalid resource version: ");
  if (revision === 0) return undefined;
  const match = options.resourceVersionMatch ?? "";
  // With a limit and without a match, a list is exact; without a limit it is "not older than".
  const exact = match === "Exact" || (match === "" && (options.limit ?? 0) > 0);
  refuseFuture(server, text);
  return exact ? revision : undefined;
}

/**
 * Kubernetes waits for the revision for a while; here it cannot appear, so the error is immediate.
 */
export function refuseFuture(server: ServerContext, revision: string): void {
  const current = server.store.revision;
  if (Number(revision) <= current) return;
  const shown = BigInt(revision);
  const message = `Timeout: Too large resource version: ${shown}, current: ${current}`;
  throw new ApiError(504, "Timeout", message, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** An inconsistent token has revision -1: it continues in the newest state. */
function revisionOf(token: ContinueToken): number | undefined {
  return token.revision < 0 ? undefined : token.revision;
}

function expiredContinue(token: ContinueToken, listed: string | undefined): ApiError {
  const error = expired(
    "The provided continue parameter is too old to display a consistent list result. You can " +
      "start a new list without the continue parameter, or use the continue token in this " +
      "response to retrieve the remainder of the results. Continuing with the provided token " +
      "results in an inconsistent list - objects that were created, modified, or deleted between " +
      "the time the first chunk was returned and now may show up in the list.",
  );
  const metadata = { continue: formatContinue(-1, token.after, listed) };
  Object.assign(error.status, { metadata });
  return error;
}
