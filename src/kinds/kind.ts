/**
 * What Tally knows about one kind. The server is generic: everything that differs between a Job and
 * a ConfigMap is a value of this type, built from pure functions.
 *
 * The order in which the verbs call the rules is that of Kubernetes:
 *   create: decode, default, admit, warningsBeforeCreate, prepareForCreate, validate,
 *     warningsOnCreate, commit
 *   update: decode, default, admit, prepareForUpdate, validateUpdate, warningsOnUpdate, commit
 *   status: decode, default, admit, prepareForStatusUpdate, validateStatusUpdate, commit
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
  /** The kind of its payload, where that is not the kind of the parent. */
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

/** What a printer may want to know of a row besides its cells. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export type Cell = string | number | boolean | null;

/** Where a rule is told no feature gates, Kubernetes' own hold. */
export interface Rules<T extends KubeObject> {
  /**
   * Runs whenever an object is decoded; fills what the user left out. A part that the object shares
   * with the old one has all its defaults.
   */
  readonly setDefaults?: (object: Draft<T>, gates?: FeatureGates, old?: T) => void;
  /** Of what preparing changes, so that nobody could tell afterwards. */
  readonly warningsBeforeCreate?: (object: T) => string[];
  /** Drops what a client may not set, generates what it need not. Name and uid are known. */
  readonly prepareForCreate?: (object: Draft<T>, gates?: FeatureGates) => void;
  readonly validate: (object: T) => Finding[];
  readonly warningsOnCreate?: (object: T) => string[];
  /** Brings back what an update may not touch. Generation is counted by the server. */
  readonly prepareForUpdate?: (next: Draft<T>, old: T, gates?: FeatureGates) => void;
  readonly validateUpdate: (next: T, old: T, gates?: FeatureGates) => Finding[];
  readonly warningsOnUpdate?: (next: T, old: T) => string[];
  /** By default a status update keeps everything but status and metadata of the old object. */
  readonly prepareForStatusUpdate?: (next: Draft<T>, old: T) => void;
  readonly validateStatusUpdate?: (next: T, old: T, gates?: FeatureGates) => Finding[];
  /**
   * False while the store of Kubernetes would lack what it fills in whenever it reads the object:
   * the next write of any kind stores that, even if it changes nothing else.
   */
  readonly isStoredAsShown?: (object: T) => boolean;
  /** Other subresources through which a part of the object is written. */
  readonly parts?: { readonly [subresource: string]: PartRules<T> };
}

export interface PartRules<T extends KubeObject> {
  /** Brings back everything but the part. */
  readonly prepare: (next: Draft<T>, old: T) => void;
  readonly validate: (next: T, old: T) => Finding[];
}

/** What deletion asks of a kind. */
export interface DeletionRules<T extends KubeObject> {
  /** Seconds an object is given to end, undefined where it goes at once. */
  readonly gracePeriod?: (object: T, requested: number | undefined) => number | undefined;
  /** What holds an object from the first request to delete it on. */
  readonly finalizer?: string;
  /** What that request writes besides. */
  readonly mark?: (object: Draft<T>, now: string) => void;
  /** The answer is the object itself rather than a Status. */
  readonly returnsObject?: boolean;
  /** The oldest kinds leave their pods behind unless told otherwise; Jobs warn of it. */
  readonly orphansByDefault?: { readonly warning?: string };
}

/** What takes the place of the tables in a kind that a user defined. */
export interface CustomFacts {
  readonly schema: JSONSchemaProps;
  readonly listKind: string;
  readonly storageVersion: string;
  /** Its definition is on its way out: what there is may be changed, nothing new comes. */
  readonly isTerminating: boolean;
  readonly decode: (json: ParsedJson) => Decoded<Draft<KubeObject>>;
  readonly scale?: ScaledFields;
}

/** Where an object has its replicas. */
export interface ScaledFields {
  /** Undefined where the object has none. */
  readonly specReplicas: (object: KubeObject) => number | undefined;
  readonly statusReplicas: (object: KubeObject) => number;
  /** As the text of a query; "" where there is none. */
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
  /** All eight unless said otherwise. */
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly Subresource[];
  /** Whether metadata.generation counts the changes of everything but metadata and status. */
  readonly hasGeneration?: boolean;
  /** A PUT of a name that does not exist creates it. */
  readonly createsOnUpdate?: boolean;
  /** A PUT without resourceVersion is refused. */
  readonly requiresResourceVersion?: boolean;
  /**
   * The rules never write into a part that a change left as it was, so that old and new may share
   * it: for kinds that are changed often and have much that does not change.
   */
  readonly sharesParts?: boolean;
  readonly rules: Rules<T>;
  readonly deletion?: DeletionRules<T>;
  /** Fields a selector may name, besides metadata.name and metadata.namespace. */
  readonly selectableFields?: { readonly [field: string]: (object: T) => string };
  readonly columns: readonly Column[];
  /** One cell per column. Ages and durations are counted to now. */
  readonly cells: (object: T, now: Date) => Cell[];
  readonly rowConditions?: (object: T) => readonly RowCondition[];
  /** Stored under another kind's key space: core and events.k8s.io Events are one thing. */
  readonly storedAs?: {
    readonly resource: string;
    readonly toStored: (object: T) => KubeObject;
    readonly fromStored: (stored: KubeObject) => T;
  };
  /** Present in kinds that a user defined. */
  readonly custom?: CustomFacts;
  /** Without a binary form, as custom resources are. */
  readonly isJsonOnly?: boolean;
  /** Said in a Warning header on every request: the kind is on its way out of Kubernetes. */
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

/** In the order in which Kubernetes tells those of kinds that users defined. */
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

/** In alphabetical order, as discovery tells them. */
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
 * Erases the object type so that kinds of different objects fit one registry. Sound because the
 * server hands a kind's rules only objects decoded as that kind.
 */
export function defineKind<T extends KubeObject>(kind: Kind<T>): Kind {
  return kind as unknown as Kind;
}
