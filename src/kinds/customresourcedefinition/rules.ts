/**
 * Pure: holds the rules of definitions, which are loaded with the first definition. Schemas, the
 * expression language and validation are expensive to load for servers without definitions.
 */
import type { Finding } from "../../api/finding.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "../../api/generated/apiextensions.ts";
import type { Kind } from "../kind.ts";

export interface DefinitionRules {
  readonly validate: (definition: CustomResourceDefinition) => Finding[];
  readonly validateUpdate: (
    next: CustomResourceDefinition,
    old: CustomResourceDefinition,
  ) => Finding[];
  readonly validateStatusUpdate: (
    next: CustomResourceDefinition,
    old: CustomResourceDefinition,
  ) => Finding[];
  readonly warnings: (definition: CustomResourceDefinition) => string[];
  /** The definition must be valid and have its names accepted. */
  readonly customKind: (
    definition: CustomResourceDefinition,
    version: CustomResourceDefinitionVersion,
  ) => Kind;
}

let provided: DefinitionRules | undefined;

export function provideDefinitionRules(rules: DefinitionRules): void {
  provided = rules;
}

export function hasDefinitionRules(): boolean {
  return provided !== undefined;
}

export function definitionRules(): DefinitionRules {
  if (!provided) throw new Error("the rules of definitions are not loaded");
  return provided;
}
