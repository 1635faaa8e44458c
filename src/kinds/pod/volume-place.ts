/** Pure: the location of a volume, for the rules of its source. */

export interface PodIdentity {
  /** True for a pod, false for a pod template. */
  readonly isPod?: boolean;
  /** The prefix of the names of its ephemeral volumes' claims. */
  readonly podName?: string;
}

export interface VolumePlace {
  readonly volumeName: string;
  readonly volumePath: string;
  readonly pod: PodIdentity;
}
