/** Pure: what somebody wants to be run, before it is a Job. Files have been read by then. */
import type { WorkList } from "../../api/work-list/work-list.ts";

export interface RunRequest {
  /** The name of the Job; one is made of the command and the suffix where there is none. */
  readonly name?: string;
  readonly namespace: string;
  /** A few characters of chance, fit for a name. */
  readonly suffix: string;
  readonly list?: WorkList;
  /** How arguments may speak of the item besides {NAME} and $NAME. */
  readonly placeholders?: Placeholders;
  /** Parameters of the list whose values become further arguments, unless they are empty. */
  readonly appended?: readonly string[];
  /** Without a list, how many indexes there are; with one, as many as it has items. */
  readonly completions?: number;
  /** A variable that holds the index, besides JOB_COMPLETION_INDEX. */
  readonly indexVariable?: string;
  /** As typed, the program first. */
  readonly command: readonly string[];
  /** Whether arguments that look like mistyped placeholders are passed as they are. */
  readonly skipsPlaceholderCheck?: true;
  /** Without one the pods run the programs of this machine. */
  readonly image?: string;
  readonly environment?: readonly Variable[];
  readonly workdir?: string;
  readonly niceness?: number;
  readonly parallelism: number;
  readonly failure?: FailureWishes;
  readonly paramsIn?: "configmap" | "secret";
  /** More annotations: of the Job, and of its pods. */
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
  /** The parameters that are the item, where they have no names of their own. */
  readonly parameters?: readonly string[];
  /** Stands for the item, "{}" unless the user chose another. */
  readonly item?: string;
  /** If the values have names: the text that stands for the item in lists without, or "{}". */
  readonly missingItem?: string;
  /** Whether {1} is the first parameter, {2} the second. */
  readonly hasPositions?: boolean;
  /** Further texts, each with the parameter it stands for. */
  readonly others?: readonly (readonly [text: string, parameter: string])[];
  /** Whether a command that does not speak of the item gets it as its last argument. */
  readonly appendsItem?: boolean;
}

/** As the flags say it; what is absent was not typed. */
export interface FailureWishes {
  readonly restart?: string;
  readonly retries?: number;
  readonly maxFailed?: { readonly count: number } | { readonly percent: number };
  readonly backoff?: { readonly base: string; readonly cap?: string };
  readonly retryOn?: readonly number[];
  readonly failOn?: readonly number[];
  readonly timeoutSeconds?: number;
  readonly halt?: "now" | "soon";
}
