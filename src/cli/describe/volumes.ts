/** Pure: the volumes of a pod or of its template. */
import type { ProjectedVolumeSource, Volume } from "../../api/generated/core.ts";
import { getQuantity, isZero } from "../../api/quantity.ts";
import { annotationLines, field, indent, type Labels, type Lines, labelLines } from "./fields.ts";

export function volumeLines(volumes: readonly Volume[], isTemplate: boolean): Lines {
  const before = isTemplate ? "  " : "";
  if (volumes.length === 0) return [`${before}Volumes:\t<none>`];
  const named = volumes.flatMap((volume) => [
    `  ${isTemplate ? " " : ""}${volume.name}:`,
    ...sourceLines(volume),
  ]);
  return [`${before}Volumes:`, ...named];
}

function sourceLines(volume: Volume): Lines {
  for (const describe of SOURCES) {
    const lines = describe(volume);
    if (lines) return lines;
  }
  return otherLines(volume);
}

type Describe = (volume: Volume) => Lines | undefined;

const SOURCES: readonly Describe[] = [
  ({ hostPath }) =>
    hostPath &&
    source("HostPath (bare host directory volume)", {
      Path: hostPath.path,
      HostPathType: hostPath.type ?? "<none>",
    }),
  ({ emptyDir }) =>
    emptyDir &&
    source("EmptyDir (a temporary directory that shares a pod's lifetime)", {
      Medium: emptyDir.medium ?? "",
      SizeLimit: sizeLimit(emptyDir.sizeLimit),
    }),
  ({ secret }) =>
    secret &&
    source("Secret (a volume populated by a Secret)", {
      SecretName: secret.secretName ?? "",
      Optional: secret.optional ?? false,
    }),
  ({ configMap }) =>
    configMap &&
    source("ConfigMap (a volume populated by a ConfigMap)", {
      Name: configMap.name ?? "",
      Optional: configMap.optional ?? false,
    }),
  ({ nfs }) =>
    nfs &&
    source("NFS (an NFS mount that lasts the lifetime of a pod)", {
      Server: nfs.server,
      Path: nfs.path,
      ReadOnly: nfs.readOnly ?? false,
    }),
  ({ persistentVolumeClaim }) =>
    persistentVolumeClaim &&
    source("PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)", {
      ClaimName: persistentVolumeClaim.claimName,
      ReadOnly: persistentVolumeClaim.readOnly ?? false,
    }),
  ({ ephemeral }) => ephemeral && ephemeralLines(ephemeral),
  ({ downwardAPI }) =>
    downwardAPI && [
      field("Type", "DownwardAPI (a volume populated by information about the pod)", 2),
      "    Items:",
      ...(downwardAPI.items ?? []).flatMap(({ fieldRef, resourceFieldRef, path }) => [
        ...(fieldRef ? [`${indent(3)}${fieldRef.fieldPath} -> ${path}`] : []),
        ...(resourceFieldRef ? [`${indent(3)}${resourceFieldRef.resource} -> ${path}`] : []),
      ]),
    ],
  ({ projected }) => projected && projectedLines(projected),
  ({ csi }) =>
    csi && [
      ...source("CSI (a Container Storage Interface (CSI) volume source)", {
        Driver: csi.driver,
        FSType: csi.fsType ?? "",
        ReadOnly: csi.readOnly ?? false,
      }),
      ...attributeLines(csi.volumeAttributes),
    ],
  ({ image }) =>
    image &&
    source("Image (a container image or OCI artifact)", {
      Reference: image.reference ?? "",
      PullPolicy: image.pullPolicy ?? "",
    }),
];

function source(
  type: string,
  fields: { readonly [name: string]: string | boolean | number },
): Lines {
  const lines = Object.entries(fields).map(([name, value]) => field(name, value, 2));
  return [field("Type", type, 2), ...lines];
}

function sizeLimit(limit: string | undefined): string {
  return limit === undefined || isZero(getQuantity(limit)) ? "<unset>" : limit;
}

function ephemeralLines({ volumeClaimTemplate }: NonNullable<Volume["ephemeral"]>): Lines {
  const type =
    "EphemeralVolume (an inline specification for a volume that gets created and deleted with " +
    "the pod)";
  if (!volumeClaimTemplate) return [field("Type", type, 2)];
  const { metadata, spec } = volumeClaimTemplate;
  return [
    field("Type", type, 2),
    field("StorageClass", spec.storageClassName ?? "", 2),
    field("Volume", spec.volumeName ?? "", 2),
    ...nestedLines(labelLines("Labels", metadata?.labels)),
    ...nestedLines(annotationLines("Annotations", metadata?.annotations)),
    field("Capacity", "", 2),
    field("Access Modes", "", 2),
    ...(spec.volumeMode ? [field("VolumeMode", spec.volumeMode, 2)] : []),
  ];
}

/** Each part of such a line is indented of its own. */
function nestedLines(lines: Lines): Lines {
  return lines.map((line) => indent(2) + line.replace("\t", `\t${indent(2)}`));
}

function attributeLines(attributes: Labels | undefined): Lines {
  return labelLines("VolumeAttributes", attributes).map((line, at) => {
    const [title, value = ""] = line.split("\t");
    if (value === "<none>") return `${indent(2)}${title}\t${value}`;
    return `${indent(at === 0 ? 2 : 4)}${title}\t${indent(2)}${value}`;
  });
}

function projectedLines({ sources = [] }: ProjectedVolumeSource): Lines {
  return [
    field("Type", "Projected (a volume that contains injected data from multiple sources)", 2),
    ...(sources ?? []).flatMap(({ secret, downwardAPI, configMap, serviceAccountToken }) => {
      if (secret) return namedSource("SecretName", secret);
      if (downwardAPI) return [field("DownwardAPI", true, 2)];
      if (configMap) return namedSource("ConfigMapName", configMap);
      const seconds = serviceAccountToken?.expirationSeconds;
      return seconds === undefined ? [] : [field("TokenExpirationSeconds", seconds, 2)];
    }),
  ];
}

function namedSource(
  title: string,
  { name = "", optional = false }: { readonly name?: string; readonly optional?: boolean },
): Lines {
  return [field(title, name, 2), field("Optional", optional, 2)];
}

/** Drivers that are seldom met: their name and what was said to them. */
function otherLines({ name: _, ...sources }: Volume): Lines {
  const [type, fields] = Object.entries(sources)[0] ?? [];
  if (type === undefined || fields === null || typeof fields !== "object") return ["  <unknown>"];
  return source(type, fields as { readonly [name: string]: string });
}
