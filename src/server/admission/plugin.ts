/** The request as a plugin sees it, and how a plugin rejects it. */
import {
  type ApiError,
  forbidden,
  type GroupResource,
  type StatusCause,
} from "../../api/errors.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Store } from "../../store/types.ts";
import type { User } from "../authorization/user.ts";

export interface AdmissionRequest {
  readonly operation: "create" | "update" | "delete";
  readonly kind: Kind;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  /** The written subresource; absent for the object itself. */
  readonly part?: string;
  /** Owned by the request until it is committed; for a deletion, the last state. */
  readonly object: Draft<KubeObject>;
  readonly old?: KubeObject;
  /** The user of the request; absent for components inside the process. */
  readonly user?: User;
  readonly dryRun: boolean;
  /** Adds to the audit event of the request; absent if there is none. */
  readonly annotate?: Annotate;
}

export type Annotate = (key: string, value: string) => void;

export type StoreView = Pick<Store, "get" | "list">;

/** Changes the object, or throws an ApiError. */
export type Plugin = (request: AdmissionRequest, store: StoreView) => void;

/** Whether the request is about this kind, by default of the core group. */
export function isAbout(request: AdmissionRequest, kind: string, group = ""): boolean {
  return request.kind.kind === kind && request.kind.group === group;
}

export function refuse(
  request: Pick<AdmissionRequest, "kind" | "object">,
  problem: string,
  causes?: readonly StatusCause[],
): ApiError {
  const { group, resource } = request.kind;
  const target: GroupResource = { group, resource };
  return forbidden(target, askedName(request), problem, causes);
}

/** The name for error messages: for a generated name, the prefix that the client sent. */
function askedName({ object }: Pick<AdmissionRequest, "object">): string {
  const { name = "", generateName } = object.metadata;
  if (generateName === undefined || !name.startsWith(generateName)) return name;
  return name.length === generateName.length + 5 ? generateName : name;
}
