/** Pure: a request to run a command, before it is a Job. Its files have been read. */
import type { WorkList } from "../../api/work-list/work-list.ts";

export interface RunRequest {
  /** The name of the Job; by default it is made of the command and the suffix. */
  readonly name?: string;
  readonly namespace: string;
  /** A few random characters that are valid in a name. */
  readonly suffix: string;
  readonly list?: WorkList;
  /** How arguments can refer to the item besides {NAME} and $NAME. */
  readonly placeholders?: Placeholders;
  /** Parameters whose values become further arguments; empty values are left out. */
  readonly appended?: readonly string[];
  /** The number of indexes; with a list it must be the number of items. */
  readonly completions?: number;
  /** A variable that holds the index, besides JOB_COMPLETION_INDEX. */
  readonly indexVariable?: string;
  /** As typed, the program first. */
  readonly command: readonly string[];
  /** Whether arguments that look like mistyped placeholders are passed as they are. */
  readonly skipsPlaceholderCheck?: true;
  /** By default the pods run the programs of this machine. */
  readonly image?: string;
  readonly environment?: readonly Variable[];
  readonly workdir?: string;
  readonly niceness?: number;
  readonly parallelism: number;
  readonly failure?: FailureOptions;
  readonly paramsIn?: "configmap" | "secret";
  /** Further annotations of the Job, and of its pods. */
  readonly annotations?: Annotations;
  readonly podAnnotations?: Annotations;
}

export interface Variable {
  readonly name: string;
  readonly value: string;
}

export interface Annotations {
  readonly [name: string]: string;
}

export interface Placeholders {
  /** The parameters that make up the item, if its values have no names. */
  readonly parameters?: readonly string[];
  /** The placeholder of the item: "{}", or the text of --item-text. */
  readonly item?: string;
  /** If the values have names: the placeholder that this list does not have. */
  readonly missingItem?: string;
  /** Whether {1} is the first parameter, {2} the second. */
  readonly hasPositions?: boolean;
  /** Further placeholders, each with its parameter. */
  readonly others?: readonly (readonly [text: string, parameter: string])[];
  /** Whether the item is appended to a command without a placeholder. */
  readonly appendsItem?: boolean;
}

/** As given by flags; absent if the flag was not given. */
export interface FailureOptions {
  readonly restart?: string;
  readonly retries?: number;
  readonly maxFailed?: { readonly count: number } | { readonly percent: number };
  readonly backoff?: { readonly base: string; readonly cap?: string };
  readonly retryOn?: readonly number[];
  readonly failOn?: readonly number[];
  readonly timeoutSeconds?: number;
  readonly halt?: "now" | "soon";
}
