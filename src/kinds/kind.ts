/**
 * The definition of one kind. The server is generic: everything that differs between a Job and a
 * ConfigMap is a value of this type, built from pure functions.
 *
 * The verbs call the rules in the same order as Kubernetes:
 *     create: decode, default, admit, warningsBeforeCreate, prepareForCreate, validate,
 *       warningsOnCreate, commit
 *     update: decode, default, admit, prepareForUpdate, validateUpdate, warningsOnUpdate, commit
 *     status: decode, default, admit, prepareForStatusUpdate, validateStatusUpdate, commit
 */
import type { FeatureGates } from "../api/feature-gates.ts";
import type { Finding } from "../api/finding.ts";
import type { JSONSchemaProps } from "../api/generated/apiextensions.ts";
import type { Draft, KubeObject } from "../api/object.ts";
import type { Decoded } from "../api/schema/decode.ts";
import type { ParsedJson } from "../api/schema/parsed-json.ts";

export type Verb =
  | "create"
  | "delete"
  | "deletecollection"
  | "get"
  | "list"
  | "patch"
  | "update"
  | "watch";

export interface Subresource {
  readonly name: string;
  readonly verbs: readonly ("create" | "delete" | "get" | "patch" | "update")[];
  /** The kind of its payload, if it differs from that of the parent. */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
}

export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  /** 1 for the columns that only "-o wide" shows. */
  readonly priority?: number;
  readonly description: string;
}

/** Additional information about a row for printers. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export type Cell = string | number | boolean | null;

/** If no feature gates are passed to a rule, the defaults of Kubernetes apply. */
export interface Rules<T extends KubeObject> {
  /**
   * Called whenever an object is decoded; sets missing fields. Parts that the object shares with
   * the old one already have their defaults.
   */
  readonly setDefaults?: (object: Draft<T>, gates?: FeatureGates, old?: T) => void;
  /**
   * Warnings about what preparation is going to change, so that they cannot be found afterwards.
   */
  readonly warningsBeforeCreate?: (object: T) => string[];
  /**
   * Removes what a client must not set and generates what it need not set. Name and UID are known.
   */
  readonly prepareForCreate?: (object: Draft<T>, gates?: FeatureGates) => void;
  readonly validate: (object: T) => Finding[];
  readonly warningsOnCreate?: (object: T) => string[];
  /** Restores what an update must not change. The server increments the generation. */
  readonly prepareForUpdate?: (next: Draft<T>, old: T, gates?: FeatureGates) => void;
  readonly validateUpdate: (next: T, old: T, gates?: FeatureGates) => Finding[];
  readonly warningsOnUpdate?: (next: T, old: T) => string[];
  /** By default a status update keeps everything of the old object except status and metadata. */
  readonly prepareForStatusUpdate?: (next: Draft<T>, old: T) => void;
  readonly validateStatusUpdate?: (next: T, old: T, gates?: FeatureGates) => Finding[];
  /**
   * False while the store of Kubernetes would lack fields that Kubernetes adds whenever it reads
   * the object. The next write of any kind stores them, even if it changes nothing else.
   */
  readonly isStoredAsShown?: (object: T) => boolean;
  /** Other subresources that write a part of the object. */
  readonly parts?: { readonly [subresource: string]: PartRules<T> };
}

export interface PartRules<T extends KubeObject> {
  /** Restores everything except the part. */
  readonly prepare: (next: Draft<T>, old: T) => void;
  readonly validate: (next: T, old: T) => Finding[];
}

/** How objects of a kind are deleted. */
export interface DeletionRules<T extends KubeObject> {
  /** The grace period in seconds; undefined if the object is deleted at once. */
  readonly gracePeriod?: (object: T, requested: number | undefined) => number | undefined;
  /** A finalizer that the first delete request adds. */
  readonly finalizer?: string;
  /** Other changes that the first delete request makes. */
  readonly mark?: (object: Draft<T>, now: string) => void;
  /** The answer is the object itself instead of a Status. */
  readonly returnsObject?: boolean;
  /** The oldest kinds orphan their pods by default; Jobs warn about it. */
  readonly orphansByDefault?: { readonly warning?: string };
}

/** Replaces the tables for a kind that a user defined. */
export interface CustomFacts {
  readonly schema: JSONSchemaProps;
  readonly listKind: string;
  readonly storageVersion: string;
  /** The definition is being deleted: existing objects may be changed, but no new ones created. */
  readonly isTerminating: boolean;
  readonly decode: (json: ParsedJson) => Decoded<Draft<KubeObject>>;
  readonly scale?: ScaledFields;
}

/** How the replicas of an object are read and written. */
export interface ScaledFields {
  /** Undefined if the object has none. */
  readonly specReplicas: (object: KubeObject) => number | undefined;
  readonly statusReplicas: (object: KubeObject) => number;
  /** In the format of a query; "" if there is none. */
  readonly selector: (object: KubeObject) => string;
  readonly setSpecReplicas: (object: Draft<KubeObject>, replicas: number) => void;
  readonly specReplicasPath: string;
}

export interface Kind<T extends KubeObject = KubeObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural in URLs. */
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The message in the generated tables: "batch/v1.Job". */
  readonly message: string;
  /** By default all eight. */
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly Subresource[];
  /** Whether metadata.generation counts changes of everything except metadata and status. */
  readonly hasGeneration?: boolean;
  /** A PUT of a name that does not exist creates it. */
  readonly createsOnUpdate?: boolean;
  /** A PUT without resourceVersion is rejected. */
  readonly requiresResourceVersion?: boolean;
  /**
   * The rules never write into parts that a change left as they were, so that old and new can share
   * them. For kinds that change often and have large parts that do not.
   */
  readonly sharesParts?: boolean;
  readonly rules: Rules<T>;
  readonly deletion?: DeletionRules<T>;
  /** Fields that a selector may use, in addition to metadata.name and metadata.namespace. */
  readonly selectableFields?: { readonly [field: string]: (object: T) => string };
  readonly columns: readonly Column[];
  /** One cell per column. Ages and durations are relative to `now`. */
  readonly cells: (object: T, now: Date) => Cell[];
  readonly rowConditions?: (object: T) => readonly RowCondition[];
  /**
   * Stored under the key space of another kind: Events of core and of events.k8s.io are the same
   * objects.
   */
  readonly storedAs?: {
    readonly resource: string;
    readonly toStored: (object: T) => KubeObject;
    readonly fromStored: (stored: KubeObject) => T;
  };
  /** Set for kinds that users defined. */
  readonly custom?: CustomFacts;
  /** Has no protobuf encoding, like custom resources. */
  readonly isJsonOnly?: boolean;
  /** Sent as a Warning header with every request: Kubernetes has deprecated the kind. */
  readonly deprecation?: string;
}

const ALL_VERBS: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** In the order in which Kubernetes lists them for custom resources. */
const CUSTOM_VERBS: readonly Verb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];

/** In alphabetical order, as in discovery. */
export function verbsOf({ verbs, custom }: Pick<Kind, "verbs" | "custom">): readonly Verb[] {
  if (custom) return CUSTOM_VERBS;
  return verbs ? [...verbs].sort() : ALL_VERBS;
}

/** The key space of a kind in the store: "jobs.batch". */
export function storageResource(kind: Kind): string {
  if (kind.storedAs) return kind.storedAs.resource;
  return kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;
}

export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/**
 * Erases the object type, so that kinds of different objects fit into one registry. This is sound
 * because the server passes only objects decoded as that kind to its rules.
 */
export function defineKind<T extends KubeObject>(kind: Kind<T>): Kind {
  return kind as unknown as Kind;
}
