/** Loads the code for CustomResourceDefinitions before the first one is written or read. */
import {
  hasDefinitionRules,
  provideDefinitionRules,
} from "../../kinds/customresourcedefinition/rules.ts";

const GROUP = "apiextensions.k8s.io";

export async function loadDefinitionRules(): Promise<void> {
  const { allRules } = await import("../../kinds/customresourcedefinition/all-rules.ts");
  provideDefinitionRules(allRules);
}

/** Whether a write to the group needs code that is not loaded yet. */
export function needsDefinitionRules(group: string): boolean {
  return group === GROUP && !hasDefinitionRules();
}

/** Continues at once unless this is the first request that writes a definition. */
export function afterLoading(
  { method, path }: { readonly method: string; readonly path: string },
  goOn: () => void,
  fail: (error: unknown) => void,
): void {
  const isWrite = method !== "GET" && path.startsWith(`/apis/${GROUP}/`);
  if (isWrite && needsDefinitionRules(GROUP)) loadDefinitionRules().then(goOn).catch(fail);
  else goOn();
}
