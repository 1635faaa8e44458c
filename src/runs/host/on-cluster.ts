/** Pure: whether runs of a cluster are meant: only where one is named. */

export interface PlaceFlags {
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

export function isOnCluster({ kubeconfig, context }: PlaceFlags): boolean {
  return kubeconfig !== undefined || context !== undefined;
}
