import { expect, test } from "vitest";
import { DEFAULT_FEATURE_GATES, parseFeatureGates } from "./feature-gates.ts";

test("every feature is on unless it is switched off", () => {
  expect(parseFeatureGates("")).toEqual({ gates: DEFAULT_FEATURE_GATES });
  expect(new Set(Object.values(DEFAULT_FEATURE_GATES))).toEqual(new Set([true]));
});

test.each([
  ["IndexedJob=false", { IndexedJob: false }],
  [":IndexedJob=false,:PodIndexLabel=true", { IndexedJob: false }],
  ["kube:JobManagedBy=false", { JobManagedBy: false }],
  ["IndexedJob=false,PodIndexLabel=false", { IndexedJob: false, PodIndexLabel: false }],
  ["IndexedJob=false,IndexedJob=true", {}],
  [" IndexedJob = false ,", { IndexedJob: false }],
  ["IndexedJob=0,JobManagedBy=f", { IndexedJob: false, JobManagedBy: false }],
  ["IndexedJob=F,JobManagedBy=FALSE", { IndexedJob: false, JobManagedBy: false }],
  ["IndexedJob=False,JobManagedBy=T", { IndexedJob: false }],
  ["IndexedJob=1,JobManagedBy=TRUE,PodIndexLabel=t", {}],
])("%s", (text, changed) => {
  expect(parseFeatureGates(text)).toEqual({ gates: { ...DEFAULT_FEATURE_GATES, ...changed } });
});

const PARSING = "strconv.ParseBool: parsing";

test.each([
  ["Nonsense=true", "unrecognized feature gate: Nonsense"],
  ["indexedjob=true", "unrecognized feature gate: indexedjob"],
  ["toString=true", "unrecognized feature gate: toString"],
  ["IndexedJob", "missing bool value for IndexedJob"],
  [":IndexedJob", "missing bool value for IndexedJob"],
  ["IndexedJob=", `invalid value of IndexedJob=, err: ${PARSING} "": invalid syntax`],
  ["IndexedJob=on", `invalid value of IndexedJob=on, err: ${PARSING} "on": invalid syntax`],
  ["IndexedJob=tRUE", `invalid value of IndexedJob=tRUE, err: ${PARSING} "tRUE": invalid syntax`],
  ["other:IndexedJob=true", "component not registered: other"],
])("%s is refused in Kubernetes' words", (text, problem) => {
  expect(parseFeatureGates(text)).toEqual({ problem });
});
