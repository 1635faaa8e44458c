/**
 * Pure: a place for the rules of definitions, which are loaded with the first of them: schemas, a
 * language and all it takes to judge objects by them are much to load for who defines nothing.
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
  /** Of a definition that is valid and has its names. */
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
