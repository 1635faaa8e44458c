/** Pure: the volumes of a pod that no node of ours can give it. */
import type { Pod, Volume } from "../../api/generated/core.ts";
import { mountedVolumes } from "./references.ts";

/** All reasons at once; undefined where there are none. */
export function findUnsupported(pod: Pod): string | undefined {
  const problems = mountedVolumes(pod).flatMap((volume) =>
    problemsOf(volume).map((problem) => `volume ${JSON.stringify(volume.name)}: ${problem}`),
  );
  if (problems.length === 0) return undefined;
  return `this node cannot honour ${problems.join("; ")}`;
}

const SUPPORTED: ReadonlySet<string> = new Set<keyof Volume>([
  "name",
  "configMap",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "hostPath",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

function problemsOf(volume: Volume): readonly string[] {
  const unknown = Object.keys(volume).filter((field) => !SUPPORTED.has(field));
  const medium = volume.emptyDir?.medium ?? "";
  return [
    ...unknown.map((field) => `${field} (there is nothing that mounts it)`),
    ...(medium.startsWith("HugePages") ? [`emptyDir of ${medium} (there are no huge pages)`] : []),
    ...(volume.projected?.sources ?? []).flatMap(({ clusterTrustBundle, podCertificate }) => [
      ...(clusterTrustBundle ? ["clusterTrustBundle (there are no ClusterTrustBundles)"] : []),
      ...(podCertificate ? ["podCertificate (there is nobody to sign one)"] : []),
    ]),
  ];
}
