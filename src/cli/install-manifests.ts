/** Pure: what "tally install" puts on a cluster, from the manifests that come with the package. */
import { parseAllDocuments } from "yaml";

export interface Installed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

export interface InstallChoices {
  readonly namespace: string;
  /** Of the controller; absent: no Deployment, somebody runs it elsewhere. */
  readonly image?: string;
  readonly replicas: number;
  /** The one namespace whose objects are looked after; absent: all. */
  readonly watched?: string;
}

/** In the order in which they are created: what is needed first comes first. */
export function composeInstallation(
  texts: readonly string[],
  { namespace, image, replicas, watched }: InstallChoices,
): readonly Installed[] {
  const objects = texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as Installed),
  );
  return objects
    .filter(({ kind }) => image !== undefined || !OF_DEPLOYMENT.includes(kind))
    .map((object) => inNamespace(object, namespace))
    .map((object) => (watched === undefined ? object : forOneNamespace(object, watched)))
    .map((object) => (object.kind === "Deployment" ? deployed(object, image, replicas) : object))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

const OF_DEPLOYMENT = ["Deployment", "PodDisruptionBudget"];

const ORDER = [
  "Namespace",
  "CustomResourceDefinition",
  "ServiceAccount",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "PodDisruptionBudget",
  "Deployment",
];

function rankOf({ kind }: Installed): number {
  return ORDER.indexOf(kind);
}

function inNamespace(object: Installed, namespace: string): Installed {
  const { kind, metadata } = object;
  if (kind === "Namespace") return { ...object, metadata: { ...metadata, name: namespace } };
  const subjects = object["subjects"] as readonly object[] | undefined;
  return {
    ...object,
    metadata: metadata.namespace === undefined ? metadata : { ...metadata, namespace },
    ...(subjects ? { subjects: subjects.map((each) => ({ ...each, namespace })) } : {}),
  };
}

/** What was allowed everywhere is allowed there alone. */
function forOneNamespace(object: Installed, watched: string): Installed {
  const { kind, metadata } = object;
  const place = { ...metadata, namespace: watched };
  if (kind === "ClusterRole") return { ...object, kind: "Role", metadata: place };
  if (kind === "ClusterRoleBinding") {
    const roleRef = { ...(object["roleRef"] as object), kind: "Role" };
    return { ...object, kind: "RoleBinding", metadata: place, roleRef };
  }
  if (kind !== "Deployment") return object;
  const flag = `--namespace=${watched}`;
  return withContainers(object, (each) => ({ ...each, args: [...(each.args ?? []), flag] }));
}

interface Container {
  readonly args?: readonly string[];
}

interface DeploymentSpec {
  readonly template: { readonly spec: { readonly containers: readonly Container[] } };
}

function withContainers(object: Installed, change: (each: Container) => Container): Installed {
  const spec = object["spec"] as DeploymentSpec;
  const { template } = spec;
  const containers = template.spec.containers.map(change);
  const podSpec = { ...template.spec, containers };
  return { ...object, spec: { ...spec, template: { ...template, spec: podSpec } } };
}

function deployed(object: Installed, image: string | undefined, replicas: number): Installed {
  const imaged = withContainers(object, (each) => ({ ...each, image }));
  return { ...imaged, spec: { ...(imaged["spec"] as DeploymentSpec), replicas } };
}

/** The kinds an installation is made of, as paths name them. */
const RESOURCES: { readonly [kind: string]: { readonly resource: string; namespaced: boolean } } = {
  Namespace: { resource: "namespaces", namespaced: false },
  CustomResourceDefinition: { resource: "customresourcedefinitions", namespaced: false },
  ServiceAccount: { resource: "serviceaccounts", namespaced: true },
  ClusterRole: { resource: "clusterroles", namespaced: false },
  ClusterRoleBinding: { resource: "clusterrolebindings", namespaced: false },
  Role: { resource: "roles", namespaced: true },
  RoleBinding: { resource: "rolebindings", namespaced: true },
  PodDisruptionBudget: { resource: "poddisruptionbudgets", namespaced: true },
  Deployment: { resource: "deployments", namespaced: true },
};

export function typeOf({ apiVersion, kind }: Installed) {
  const known = RESOURCES[kind];
  if (!known) throw new Error(`an installation has no ${kind}`);
  const [group = "", version = ""] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  return { group, version, kind, ...known };
}
