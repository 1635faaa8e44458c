import { expect, test } from "vitest";
import { findingsInContainer, findingsInSpec, writtenPod } from "../../../test/builders/pod.ts";
import { formatFinding } from "../../api/finding.ts";
import { setPodDefaults } from "./defaults.ts";
import { validatePod } from "./validate-pod.ts";

function findingsInVolume(source: object): string[] {
  const path = "t.spec.volumes[0].";
  return findingsInSpec({ volumes: [{ name: "v", ...source }] }).map((text) =>
    text.startsWith(path) ? text.slice(path.length) : text,
  );
}

const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

test.each<[string, object, string[]]>([
  [
    "a claim may be filled from another claim, whose group has no name",
    {
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            ...claim,
            dataSource: { apiGroup: null, kind: "PersistentVolumeClaim", name: "a" },
            dataSourceRef: { apiGroup: null, kind: "PersistentVolumeClaim", name: "a" },
          },
        },
      },
    },
    [],
  ],
  [
    "a size limit is not negative",
    { emptyDir: { sizeLimit: "-1" } },
    ["emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
  ],
  [
    'a host path must not contain ".." and needs a known type',
    { hostPath: { path: "/a/../b", type: "Pipe" } },
    [
      "hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
      'hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", ' +
        '"CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [
    "an NFS path must be absolute",
    { nfs: { server: "", path: "" } },
    [
      "nfs.server: Required value",
      "nfs.path: Required value",
      'nfs.path: Invalid value: "": must be an absolute path',
    ],
  ],
  [
    "a second source is reported under Kubernetes' name for it",
    { nfs: { server: "s", path: "/p" }, cephfs: { monitors: ["m"] }, downwardAPI: {} },
    [
      "cephFS: Forbidden: may not specify more than 1 volume type",
      "downwarAPI: Forbidden: may not specify more than 1 volume type",
    ],
  ],
  [
    "a disk is reported under its old name",
    { gcePersistentDisk: { pdName: "", partition: 256 } },
    [
      "persistentDisk.pdName: Required value",
      "persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive",
    ],
  ],
  [
    "iSCSI names have a format",
    { iscsi: { targetPortal: "", iqn: "abc", lun: 256, chapAuthSession: true } },
    [
      "iscsi.targetPortal: Required value",
      'iscsi.iqn: Invalid value: "abc": must be valid format starting with iqn, eui, or naa',
      "iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive",
      "iscsi.secretRef: Required value",
    ],
  ],
  [
    "fibre channel needs exactly one kind of target",
    { fc: { targetWWNs: ["a"], wwids: ["b"] } },
    [
      'fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified ' +
        "simultaneously",
      "fc.lun: Required value: lun is required if targetWWNs is specified",
    ],
  ],
  [
    "options of a driver must not use Kubernetes' domains",
    { flexVolume: { driver: "d/x", options: { "a.K8s.io/b": "1", fine: "2" } } },
    [
      'flexVolume.options[a.K8s.io/b]: Invalid value: "a.K8s.io/b": kubernetes.io and k8s.io ' +
        "namespaces are reserved",
    ],
  ],
  [
    "a managed disk has a resource path",
    { azureDisk: { diskName: "d", diskURI: "https://x", kind: "Managed" } },
    [
      'azureDisk.diskURI: Unsupported value: "https://x": supported values: ' +
        '"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/' +
        'disks/{disk-id}"',
    ],
  ],
  ["a registry is a list of pairs", { quobyte: { registry: "a:1,[::1]:2", volume: "v" } }, []],
  [
    "each malformed pair of a registry is reported",
    { quobyte: { registry: "a,b", volume: "v" } },
    Array(2).fill(
      'quobyte.registry: Invalid value: "a,b": must be a host:port pair or multiple pairs ' +
        "separated by commas",
    ),
  ],
  [
    "a driver's name is a domain in letters of any case",
    { csi: { driver: "CSI.example.com", nodePublishSecretRef: {} } },
    ["csi.nodePublishSecretRef.name: Required value"],
  ],
  ["a template may omit the image reference", { image: {} }, []],
  [
    "a claim needs a mode and a size",
    { ephemeral: { volumeClaimTemplate: { spec: {} } } },
    [
      "ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is " +
        "required",
      "ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
    ],
  ],
  [
    "ReadWriteOncePod excludes other access modes",
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: "n" },
          spec: { ...claim, accessModes: ["ReadWriteOncePod", "ReadOnlyMany"], volumeMode: "Raw" },
        },
      },
    },
    [
      "ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set",
      "ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod " +
        "with other access modes",
      'ephemeral.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Raw": supported ' +
        'values: "Block", "Filesystem"',
    ],
  ],
])("%s", (_, source, findings) => {
  expect(findingsInVolume(source)).toEqual(findings);
});

test("only valid volumes can be mounted, and paths must be unique", () => {
  const volumes = [
    { name: "v", emptyDir: {} },
    { name: "bad", nfs: { server: "s", path: "p" } },
    { name: "blk", persistentVolumeClaim: { claimName: "c" } },
  ];
  const findings = findingsInContainer(
    {
      volumeMounts: [
        { name: "v", mountPath: "/v", readOnly: true, recursiveReadOnly: "Enabled" },
        { name: "bad", mountPath: "/b" },
        {
          name: "v",
          mountPath: "/w",
          recursiveReadOnly: "Enabled",
          mountPropagation: "Bidirectional",
        },
        { name: "v", mountPath: "/x", subPath: "a", subPathExpr: "/b" },
      ],
      volumeDevices: [
        { name: "v", devicePath: "/dev/a" },
        { name: "blk", devicePath: "/v" },
        { name: "blk", devicePath: "/dev/../b" },
      ],
    },
    { volumes },
  );
  expect(findings).toEqual([
    't.spec.volumes[1].nfs.path: Invalid value: "p": must be an absolute path',
    'volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
    'volumeMounts[0].mountPath: Invalid value: "/v": must not already exist as a path in ' +
      "volumeDevices",
    'volumeMounts[1].name: Not found: "bad"',
    'volumeMounts[2].name: Invalid value: "v": must not already exist in volumeDevices',
    "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only " +
      "to privileged containers",
    "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
    "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is " +
      "None or not specified",
    'volumeMounts[3].name: Invalid value: "v": must not already exist in volumeDevices',
    'volumeMounts[3].subPathExpr: Invalid value: "/b": subPathExpr and subPath are mutually ' +
      "exclusive",
    'volumeMounts.subPathExpr: Invalid value: "/b": must be a relative path',
    'volumeDevices[0].name: Invalid value: "v": can only use volume source type of ' +
      "PersistentVolumeClaim or Ephemeral for block mode",
    'volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
    'volumeDevices[1].devicePath: Invalid value: "/v": must not already exist as a path in ' +
      "volumeMounts",
    'volumeDevices[2].name: Invalid value: "blk": must be unique',
    "volumeDevices[2].devicePath: Invalid value: \"/dev/../b\": can not contain backsteps ('..')",
  ]);
});

test("a pod cannot refer to the claim of its own ephemeral volume", () => {
  const pod = writtenPod({
    spec: {
      volumes: [
        { name: "e", ephemeral: { volumeClaimTemplate: { spec: claim } } },
        { name: "v", persistentVolumeClaim: { claimName: "p-e" } },
        { name: "i", image: {} },
      ],
    },
  });
  setPodDefaults(pod);
  expect(validatePod(pod).map(formatFinding)).toEqual([
    'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-e": must not reference a ' +
      "PVC that gets created for an ephemeral volume",
    "spec.volumes[2].image.reference: Required value",
  ]);
});
