/**
 * Pod Security: checks pods against the level in the labels of their namespace, warns about
 * templates whose pods would be rejected, and validates the labels. The rules are in
 * server/podsecurity; this file finds the pods to check, and applies the decisions.
 */
import { forbidden, invalidObject } from "../../api/errors.ts";
import type { Namespace } from "../../api/generated/core.ts";
import type { Check, CheckedPod } from "../podsecurity/check.ts";
import {
  type Decision,
  decidePod,
  type ExistingPod,
  isSignificantUpdate,
  NOTHING_TO_SAY,
  warnOfExemption,
  warnOfExistingPods,
} from "../podsecurity/decide.ts";
import { newEvaluator } from "../podsecurity/evaluate.ts";
import {
  compareLevels,
  isFullyPrivileged,
  isSameLevelVersion,
  type PodSecurityConfiguration,
  type Policy,
  PREFIX,
  type ReadPolicy,
  readPolicy,
} from "../podsecurity/policy.ts";
import { findTemplate } from "./find-template.ts";
import { type AdmissionRequest, isAbout, type StoreView } from "./plugin.ts";

export interface PodSecurityOptions extends PodSecurityConfiguration {
  readonly checks: readonly Check[];
}

/** Returns warnings, or throws an ApiError. */
export type PodSecurity = (request: AdmissionRequest) => readonly string[];

export function openPodSecurity(store: StoreView, options: PodSecurityOptions): PodSecurity {
  const judge = new PodSecurityJudge(store, options);
  return (request) => {
    if (request.operation === "delete") return [];
    if (isAbout(request, "Namespace")) return judge.namespace(request);
    if (isAbout(request, "Pod")) return apply(request, judge.pod(request));
    const template = request.part === undefined ? findTemplate(request) : undefined;
    return template === undefined ? [] : apply(request, judge.template(request, template));
  };
}

function apply(request: AdmissionRequest, decision: Decision): readonly string[] {
  for (const [key, value] of Object.entries(decision.annotations)) {
    request.annotate?.(`${PREFIX}${key}`, value);
  }
  if (decision.refusal === undefined) return decision.warnings;
  const { group, resource } = request.kind;
  // By now a generated name is known.
  throw forbidden({ group, resource }, request.object.metadata.name ?? "", decision.refusal);
}

function exempt(reason: "namespace" | "user" | "runtimeClass"): Decision {
  return { warnings: [], annotations: { exempt: reason } };
}

class PodSecurityJudge {
  private readonly evaluate: ReturnType<typeof newEvaluator>;
  /** Cached by object, because stored namespaces are never modified. */
  private readonly policies = new WeakMap<object, ReadPolicy>();

  constructor(
    private readonly store: StoreView,
    private readonly options: PodSecurityOptions,
  ) {
    this.evaluate = newEvaluator(options.checks);
  }

  pod(request: AdmissionRequest): Decision {
    if (request.part === "status") return NOTHING_TO_SAY;
    const exemption = this.exemption(request);
    if (exemption) return exemption;
    const read = this.policyOf(request.namespace);
    if (read.findings.length === 0 && isFullyPrivileged(read.policy)) {
      return { warnings: [], annotations: { "enforce-policy": "privileged:latest" } };
    }
    const pod = request.object as unknown as CheckedPod;
    const old = request.old as unknown as CheckedPod | undefined;
    if (old !== undefined && !isSignificantUpdate(pod, old)) return NOTHING_TO_SAY;
    return this.decide(read, { pod, isEnforced: true });
  }

  template(request: AdmissionRequest, pod: CheckedPod): Decision {
    const exemption = this.exemption(request);
    if (exemption) return exemption;
    const read = this.policyOf(request.namespace);
    const { audit, warn } = read.policy;
    const isUnjudged = audit.level === "privileged" && warn.level === "privileged";
    if (isUnjudged && read.findings.length === 0) return NOTHING_TO_SAY;
    return this.decide(read, { pod, isEnforced: false });
  }

  private decide(read: ReadPolicy, asked: { pod: CheckedPod; isEnforced: boolean }): Decision {
    if (this.isExemptClass(asked.pod)) return exempt("runtimeClass");
    return decidePod(this.evaluate, read, asked);
  }

  namespace(request: AdmissionRequest): readonly string[] {
    if (request.part !== undefined) return [];
    const namespace = request.object as unknown as Namespace;
    const { name = "", labels } = namespace.metadata;
    const next = readPolicy(labels, this.options.defaults);
    const old = request.old && readPolicy(request.old.metadata.labels, this.options.defaults);
    if (next.findings.length > 0 && !hasSameFindings(next, old)) {
      throw invalidObject({ group: "", kind: "Namespace" }, name, next.findings);
    }
    const { enforce } = next.policy;
    if (old !== undefined && !isTightened(next.policy, old.policy)) return [];
    if (this.options.exemptions.namespaces.includes(name)) {
      return warnOfExemption(name, next.policy, { defaults: this.options.defaults, labels });
    }
    if (old === undefined) return [];
    const { items } = this.store.list("pods", { namespace: name });
    const pods = (items as unknown as readonly ExistingPod[]).filter(
      (pod) => !this.isExemptClass(pod),
    );
    return warnOfExistingPods(this.evaluate, enforce, { namespace: name, pods });
  }

  private exemption({ namespace, user }: AdmissionRequest): Decision | undefined {
    const { namespaces, usernames } = this.options.exemptions;
    if (namespaces.includes(namespace)) return exempt("namespace");
    return user !== undefined && usernames.includes(user.name) ? exempt("user") : undefined;
  }

  private isExemptClass({ spec }: CheckedPod): boolean {
    const { runtimeClassName } = spec;
    if (runtimeClassName === undefined) return false;
    return this.options.exemptions.runtimeClasses.includes(runtimeClassName);
  }

  private policyOf(name: string): ReadPolicy {
    const namespace = this.store.get({ resource: "namespaces", namespace: "", name });
    const known = namespace && this.policies.get(namespace);
    if (known) return known;
    const read = readPolicy(namespace?.metadata.labels, this.options.defaults);
    if (namespace) this.policies.set(namespace, read);
    return read;
  }
}

function hasSameFindings({ findings }: ReadPolicy, old: ReadPolicy | undefined): boolean {
  return JSON.stringify(findings) === JSON.stringify(old?.findings ?? []);
}

/** Whether pods that were permitted may now be rejected. */
function isTightened({ enforce }: Policy, old: Policy): boolean {
  if (isSameLevelVersion(enforce, old.enforce) || enforce.level === "privileged") return false;
  const hasSameVersion = enforce.version.text === old.enforce.version.text;
  return !hasSameVersion || compareLevels(enforce.level, old.enforce.level) > 0;
}
