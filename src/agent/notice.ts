/** Something that is said of a pod. */
export interface Notice {
  readonly reason: string;
  readonly message: string;
  /** Which of the pod's containers it is about. */
  readonly container?: string;
}
