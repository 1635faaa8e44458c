/** Loads what definitions need before the first of them is written or read. */
import {
  hasDefinitionRules,
  provideDefinitionRules,
} from "../../kinds/customresourcedefinition/rules.ts";

const GROUP = "apiextensions.k8s.io";

export async function loadDefinitionRules(): Promise<void> {
  const { allRules } = await import("../../kinds/customresourcedefinition/all-rules.ts");
  provideDefinitionRules(allRules);
}

/** Whether something of the group is written that nothing is loaded for yet. */
export function needsDefinitionRules(group: string): boolean {
  return group === GROUP && !hasDefinitionRules();
}

/** Goes on at once unless the request is the first one to write a definition. */
export function afterLoading(
  { method, path }: { readonly method: string; readonly path: string },
  goOn: () => void,
  fail: (error: unknown) => void,
): void {
  const isWrite = method !== "GET" && path.startsWith(`/apis/${GROUP}/`);
  if (isWrite && needsDefinitionRules(GROUP)) loadDefinitionRules().then(goOn).catch(fail);
  else goOn();
}
