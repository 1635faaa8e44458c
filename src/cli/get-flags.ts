/** Pure: the flags of "tally get", as given. */
import type { ClusterFlags } from "./cluster/cluster.ts";

export interface GetFlags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly output?: string;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly watch?: boolean;
  readonly watchOnly?: boolean;
  /** False for --no-headers. */
  readonly headers: boolean;
  readonly showLabels?: boolean;
  readonly labelColumns?: string;
  readonly showKind?: boolean;
  readonly showManagedFields?: boolean;
  readonly sortBy?: string;
  readonly ignoreNotFound?: boolean;
}
