/** Pure: the labels by which a Job marks and finds its pods. */

export const JOB_NAME_LABEL = "batch.kubernetes.io/job-name";
export const CONTROLLER_UID_LABEL = "batch.kubernetes.io/controller-uid";
export const LEGACY_JOB_NAME_LABEL = "job-name";
export const LEGACY_CONTROLLER_UID_LABEL = "controller-uid";

const GENERATED: ReadonlySet<string> = new Set([
  JOB_NAME_LABEL,
  CONTROLLER_UID_LABEL,
  LEGACY_JOB_NAME_LABEL,
  LEGACY_CONTROLLER_UID_LABEL,
]);

export type Labels = { readonly [key: string]: string };

/** In the order in which validation requires them. */
export function generatedLabels(name: string, uid: string): Labels {
  return {
    [LEGACY_CONTROLLER_UID_LABEL]: uid,
    [LEGACY_JOB_NAME_LABEL]: name,
    [CONTROLLER_UID_LABEL]: uid,
    [JOB_NAME_LABEL]: name,
  };
}

export function isGeneratedLabel(key: string): boolean {
  return GENERATED.has(key);
}

/** The labels without those that the server generates for each Job. */
export function withoutGenerated(labels: Labels | undefined): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !isGeneratedLabel(key)));
}

/** The selector of the pods of a Job. */
export function podsOfJob(uid: string): string {
  return `${CONTROLLER_UID_LABEL}=${uid}`;
}

/** Adds missing labels and keeps existing ones. The keys of a canonical map are sorted. */
export function withMissing(labels: Labels | undefined, added: Labels): Record<string, string> {
  const merged = { ...added, ...labels };
  return Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
}
