/** What a plugin sees of a request, and how it says no. */
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
  /** The subresource that is written; absent for the object itself. */
  readonly part?: string;
  /** Owned by the request until it is committed; on deletion the state that goes. */
  readonly object: Draft<KubeObject>;
  readonly old?: KubeObject;
  /** Who asks; absent for the components inside the process. */
  readonly user?: User;
  readonly dryRun: boolean;
  /** Adds to the audit event of the request; absent where there is none. */
  readonly annotate?: Annotate;
}

export type Annotate = (key: string, value: string) => void;

export type StoreView = Pick<Store, "get" | "list">;

/** Changes the object, or throws an ApiError. */
export type Plugin = (request: AdmissionRequest, store: StoreView) => void;

/** Whether the request is about this kind of the core group or of the given one. */
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

/** A refusal speaks of what the client asked for, so a generated name is still its prefix. */
function askedName({ object }: Pick<AdmissionRequest, "object">): string {
  const { name = "", generateName } = object.metadata;
  if (generateName === undefined || !name.startsWith(generateName)) return name;
  return name.length === generateName.length + 5 ? generateName : name;
}
