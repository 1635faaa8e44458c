/** Feature gates: a test names those that are off. */
import {
  DEFAULT_FEATURE_GATES,
  type Feature,
  type FeatureGates,
} from "../../src/api/feature-gates.ts";

export function without(...features: readonly Feature[]): FeatureGates {
  const off = Object.fromEntries(features.map((feature) => [feature, false]));
  return { ...DEFAULT_FEATURE_GATES, ...off };
}
