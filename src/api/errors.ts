/** The errors of an API server: one class that carries the Status that a client receives. */
import { type Finding, formatFinding, quote } from "./finding.ts";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Record<string, never>;
  readonly status: "Failure" | "Success";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export class ApiError extends Error {
  readonly status: Status;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = "ApiError";
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason === "" ? {} : { reason }),
      ...(details ? { details } : {}),
      code,
    };
  }

  /** Warnings that are sent to the client in addition to the error. */
  warnings: readonly string[] = [];

  withWarnings(warnings: readonly string[]): this {
    this.warnings = warnings;
    return this;
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): string {
    return this.status.reason ?? "";
  }
}

/** A resource as errors name it: {group: "batch", resource: "jobs"} prints as "jobs.batch". */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function detailsOf(target: GroupResource, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(target.group === "" ? {} : { group: target.group }),
    kind: target.resource,
  };
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

export function unauthorized(): ApiError {
  return new ApiError(401, "Unauthorized", "Unauthorized");
}

export function notFound(target: GroupResource, name: string): ApiError {
  const message = `${formatGroupResource(target)} "${name}" not found`;
  return new ApiError(404, "NotFound", message, detailsOf(target, name));
}

export function alreadyExists(target: GroupResource, name: string): ApiError {
  const message = `${formatGroupResource(target)} "${name}" already exists`;
  return new ApiError(409, "AlreadyExists", message, detailsOf(target, name));
}

export function conflict(target: GroupResource, name: string, problem: string): ApiError {
  const what = `${formatGroupResource(target)} "${name}"`;
  const message = `Operation cannot be fulfilled on ${what}: ${problem}`;
  return new ApiError(409, "Conflict", message, detailsOf(target, name));
}

export const MODIFIED =
  "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(
  target: GroupResource,
  name: string,
  problem: string,
  causes?: readonly StatusCause[],
): ApiError {
  const named = name === "" ? "" : ` "${name}"`;
  const message = `${formatGroupResource(target)}${named} is forbidden: ${problem}`;
  return new ApiError(403, "Forbidden", message, {
    ...detailsOf(target, name),
    ...(causes ? { causes } : {}),
  });
}

const CAUSE_REASONS: Record<Finding["type"], string> = {
  Required: "FieldValueRequired",
  Invalid: "FieldValueInvalid",
  TypeInvalid: "FieldValueTypeInvalid",
  NotSupported: "FieldValueNotSupported",
  Duplicate: "FieldValueDuplicate",
  Forbidden: "FieldValueForbidden",
  NotFound: "FieldValueNotFound",
  TooLong: "FieldValueTooLong",
  TooMany: "FieldValueTooMany",
  Internal: "InternalError",
};

/** A body of 3 MiB can have so many errors that the answer would take 400 MB. */
const MOST_FINDINGS = 1_000;
const MOST_FINDING_CHARACTERS = 1_000_000;

/** Always the first finding, and more up to the limits of an answer. */
function firstFindings(all: readonly Finding[]): readonly Finding[] {
  let characters = 0;
  const end = all.findIndex(({ message, field }, at) => {
    characters += message.length + field.length;
    return at > 0 && (at === MOST_FINDINGS || characters > MOST_FINDING_CHARACTERS);
  });
  return end < 0 ? all : all.slice(0, end);
}

/** 422: the message contains each distinct finding once; the causes keep repetitions. */
export function invalidObject(
  target: { readonly group: string; readonly kind: string },
  name: string,
  all: readonly Finding[],
): ApiError {
  const findings = firstFindings(all);
  const distinct = [...new Set(findings.map(formatFinding))];
  if (all.length > findings.length) distinct.push(`and ${all.length - findings.length} more`);
  const list = distinct.length === 1 ? distinct[0] : `[${distinct.join(", ")}]`;
  const groupKind = target.group === "" ? target.kind : `${target.kind}.${target.group}`;
  return new ApiError(422, "Invalid", `${groupKind} ${quote(name)} is invalid: ${list}`, {
    ...(name === "" ? {} : { name }),
    ...(target.group === "" ? {} : { group: target.group }),
    ...(target.kind === "" ? {} : { kind: target.kind }),
    causes: findings.map(({ type, message, field }) => ({
      reason: CAUSE_REASONS[type],
      message,
      field,
    })),
  });
}

export function methodNotAllowed(): ApiError {
  const message = "the server does not allow this method on the requested resource";
  return new ApiError(405, "MethodNotAllowed", message, {});
}

export function unknownResource(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}

export function expired(message: string): ApiError {
  return new ApiError(410, "Expired", message);
}

export function internalError(message: string): ApiError {
  return new ApiError(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}

/** True if nothing can be created because the namespace is terminating. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const causes = error.status.details?.causes ?? [];
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/**
 * Whether a write failed only because another client was faster: the object was changed, replaced,
 * deleted or created since it was read, or its namespace is being deleted. The next reconcile reads
 * the new state and decides again.
 */
export function isLostRace(error: unknown): boolean {
  if (isNamespaceTerminating(error)) return true;
  return error instanceof ApiError && RACES.includes(error.reason);
}

const RACES: readonly string[] = ["Conflict", "NotFound", "AlreadyExists"];
