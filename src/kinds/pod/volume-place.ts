/** Pure: where a volume is, as the rules of its source need to know. */

export interface PodIdentity {
  /** A pod, and not the template of pods to come. */
  readonly isPod?: boolean;
  /** What the claims of its ephemeral volumes are named after. */
  readonly podName?: string;
}

export interface VolumePlace {
  readonly volumeName: string;
  readonly volumePath: string;
  readonly pod: PodIdentity;
}
