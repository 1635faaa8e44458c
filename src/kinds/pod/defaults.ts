/**
 * Pure: the defaults of a pod spec.
 *
 * setPodSpecDefaults applies to pods and templates; setPodDefaults adds what only pods get, so that
 * templates stay short. Volumes are in defaults-volume.ts. What admission adds to a pod
 * (tolerations, priority) is elsewhere.
 */
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Container, Pod, PodSpec, PodTemplateSpec, Probe } from "../../api/generated/core.ts";
import type { ObjectMeta } from "../../api/generated/meta.ts";
import type { Draft } from "../../api/object.ts";
import { roundedUpToMilli } from "../../api/quantity.ts";
import { setPodResourceDefaults, takeRequestsFromLimits } from "./defaults-resources.ts";
import { setVolumeDefaults } from "./defaults-volume.ts";
import { defaultPullPolicy } from "./validate-image.ts";

export function setPodTemplateDefaults(template: Draft<PodTemplateSpec>): void {
  dropInitContainerAnnotations(template.metadata);
  setPodSpecDefaults(template.spec);
}

export function setPodDefaults(pod: Draft<Pod>, _gates?: FeatureGates, old?: Pod): void {
  const { spec, status, metadata } = pod;
  if (metadata.annotations !== old?.metadata.annotations) dropInitContainerAnnotations(metadata);
  if (status !== old?.status) setStatusAddresses(status);
  if (spec === old?.spec) return;
  setPodSpecDefaults(spec);
  // Old pods, from before this was validated, may have a negative value; templates keep theirs.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  takeRequestsFromLimits(spec);
  setPodResourceDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) setHostPorts(spec);
}

export function setPodSpecDefaults(spec: Draft<PodSpec>): void {
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= "default-scheduler";
  setServiceAccount(spec);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  if (spec.overhead) roundUp(spec.overhead);
  roundUpResources(spec.resources);
}

/** serviceAccount is the former name of serviceAccountName. Both are kept, and the new one wins. */
function setServiceAccount(spec: Draft<PodSpec>): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName ??= name;
  if (spec.serviceAccount !== name) spec.serviceAccount = name;
}

type AnyContainer = Draft<Omit<Container, "name">>;

function setContainerDefaults(container: AnyContainer): void {
  container.imagePullPolicy ??= defaultPullPolicy(container.image ?? "");
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= "v1";
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  roundUpResources(container.resources);
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  for (const probe of [livenessProbe, readinessProbe, startupProbe]) {
    if (probe) setProbeDefaults(probe);
  }
  for (const hook of [lifecycle?.postStart, lifecycle?.preStop]) {
    if (hook?.httpGet) setHttpGetDefaults(hook.httpGet);
  }
}

function setProbeDefaults(probe: Draft<Probe>): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  if (probe.httpGet) setHttpGetDefaults(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function setHttpGetDefaults(action: Draft<NonNullable<Probe["httpGet"]>>): void {
  action.path ??= "/";
  action.scheme ??= "HTTP";
}

function roundUpResources(resources: Draft<PodSpec["resources"]>): void {
  if (resources?.limits) roundUp(resources.limits);
  if (resources?.requests) roundUp(resources.requests);
}

/** Amounts below a thousandth were accepted once, so they cannot be rejected now. */
function roundUp(list: { [resource: string]: string }): void {
  for (const [name, text] of Object.entries(list)) {
    const rounded = roundedUpToMilli(text);
    if (rounded !== text) list[name] = rounded;
  }
}

function setHostPorts(spec: Draft<PodSpec>): void {
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of container.ports ?? []) {
      if (port.hostPort === undefined && port.containerPort !== 0) {
        port.hostPort = port.containerPort;
      }
    }
  }
}

/** podIP is the first of podIPs. If they differ, the older field wins. */
function setStatusAddresses(status: Draft<Pod["status"]>): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP !== undefined && status.podIP !== first) {
    status.podIPs = [{ ip: status.podIP }];
  } else if (first !== undefined && first !== "") {
    status.podIP = first;
  }
}

/** Init containers were written in annotations before the field existed. */
const INIT_CONTAINER_ANNOTATIONS = [
  "pod.beta.kubernetes.io/init-containers",
  "pod.alpha.kubernetes.io/init-containers",
  "pod.beta.kubernetes.io/init-container-statuses",
  "pod.alpha.kubernetes.io/init-container-statuses",
];

function dropInitContainerAnnotations(metadata: Draft<ObjectMeta>): void {
  const { annotations } = metadata;
  if (annotations === undefined) return;
  for (const key of INIT_CONTAINER_ANNOTATIONS) delete annotations[key];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}
