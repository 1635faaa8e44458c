import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import type { Json } from "../../api/object.ts";
import { persistentVolumeClaimKind } from "./claim.ts";
import { storageClassKind } from "./storage-class.ts";
import { persistentVolumeKind } from "./volume.ts";

type Fields = { [field: string]: Json };

const wanted = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

function claim(phase: string): PersistentVolumeClaim {
  const made = created<PersistentVolumeClaim>(persistentVolumeClaimKind, { spec: wanted });
  made.status = { phase, capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
  return made;
}

test("a new claim is pending and defaults to volumeMode Filesystem", () => {
  const made = created<PersistentVolumeClaim>(persistentVolumeClaimKind, { spec: wanted });
  expect(made.status).toEqual({ phase: "Pending" });
  expect(made.spec.volumeMode).toBe("Filesystem");
});

const FIXED =
  "spec: Forbidden: spec is immutable after creation except resources.requests and " +
  "volumeAttributesClassName for bound claims";
const SMALLER =
  "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";

test.each<[string, Fields, string[]]>([
  ["Pending", { volumeName: "v" }, []],
  ["Pending", { resources: { requests: { storage: "2Gi" } } }, [FIXED]],
  ["Bound", { resources: { requests: { storage: "2Gi" } } }, []],
  ["Bound", { resources: { requests: { storage: "512Mi" } } }, [SMALLER]],
  ["Bound", { accessModes: ["ReadOnlyMany"] }, [FIXED]],
])("a claim that is %s and is changed by %j", (phase, spec, expected) => {
  const old = claim(phase);
  const next = patched<PersistentVolumeClaim>(persistentVolumeClaimKind, old, { spec });
  const found = persistentVolumeClaimKind.rules.validateUpdate(next, old);
  expect(found.map(formatFinding)).toEqual(expected);
});

test("a row of a claim shows the volume once it is bound", () => {
  const free = claim("Pending");
  const bound = { ...free, spec: { ...free.spec, volumeName: "v" } };
  const cells = [free, bound].map((made) => persistentVolumeClaimKind.cells(made, new Date(0)));
  expect(cells.map((row) => row.slice(2, 5))).toEqual([
    ["", "", ""],
    ["v", "1Gi", "RWO"],
  ]);
});

function volume(spec: Fields): PersistentVolume {
  const made = created<PersistentVolume>(persistentVolumeKind, { spec });
  delete made.metadata.namespace;
  return made;
}

const disk = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };

test.each<[Fields, unknown[]]>([
  [{ ...disk, hostPath: { path: "/d" } }, []],
  [disk, ["spec: Required value: must specify a volume type"]],
  [
    { ...disk, hostPath: { path: "/d" }, local: { path: "/e" } },
    ["spec.local: Forbidden: may not specify more than 1 volume type"],
  ],
  [
    { hostPath: { path: "/d" } },
    [
      "spec.accessModes: Required value",
      "spec.capacity: Required value",
      'spec.capacity: Unsupported value: null: supported values: "storage"',
    ],
  ],
  [
    { ...disk, capacity: { storage: "0" }, hostPath: { path: "/a/../b", type: "X" } },
    [
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
      "spec.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
      expect.stringContaining('spec.hostPath.type: Unsupported value: "X"'),
    ],
  ],
  [
    { ...disk, local: { path: "/e" }, nodeAffinity: {} },
    ["spec.nodeAffinity.required: Required value: must specify required node constraints"],
  ],
  [
    { ...disk, local: { path: "/e" } },
    ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
  ],
  [
    { ...disk, hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" },
    [
      "spec.persistentVolumeReclaimPolicy: Forbidden: " +
        "may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    { ...disk, hostPath: { path: "/d" }, volumeAttributesClassName: "gold" },
    ["spec.csi: Required value: has to be specified when using volumeAttributesClassName"],
  ],
  [{ ...disk, hostPath: { path: "/d" }, flexVolume: { driver: "a/b" } }, []],
  [
    { ...disk, csi: { driver: "d", volumeHandle: "", nodePublishSecretRef: { name: "s" } } },
    [
      "spec.csi.volumeHandle: Required value",
      "spec.csi.nodePublishSecretRef.namespace: Required value",
    ],
  ],
])("a volume of %j", (spec, expected) => {
  const found = persistentVolumeKind.rules.validate(volume(spec)).map(formatFinding);
  expect(found).toEqual(expected);
});

test("the provisioning fields of a storage class are immutable", () => {
  const old = created<StorageClass>(storageClassKind, { provisioner: "a.b/c" });
  delete old.metadata.namespace;
  const next = patched<StorageClass>(storageClassKind, old, {
    provisioner: "x",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  expect(storageClassKind.rules.validateUpdate(next, old).map(formatFinding)).toEqual([
    'provisioner: Invalid value: "x": field is immutable',
    'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
  ]);
});

const SNAPSHOT = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
const OTHER = { apiGroup: "a.b", kind: "X", name: "s" };

test.each([
  [{ dataSource: SNAPSHOT }, { dataSource: SNAPSHOT, dataSourceRef: SNAPSHOT }],
  [{ dataSource: OTHER }, {}],
  [{ dataSourceRef: { ...OTHER, namespace: "n" } }, {}],
  [{ dataSourceRef: { ...OTHER, namespace: "" } }, { dataSource: OTHER, dataSourceRef: OTHER }],
])("a claim with the sources %j", (sources, expected) => {
  const spec = { resources: { requests: { storage: "1500m" } }, ...sources };
  const claim = created<PersistentVolumeClaim>(persistentVolumeClaimKind, { spec });
  persistentVolumeClaimKind.rules.prepareForCreate?.(claim);
  const { dataSource, dataSourceRef } = claim.spec;
  expect({ dataSource, dataSourceRef }).toEqual(expected);
  expect(persistentVolumeClaimKind.rules.warningsOnCreate?.(claim)).toEqual([
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, ' +
      "must be an integer",
  ]);
});

test("topology terms of a class must be distinct and not empty", () => {
  const term = (...values: string[]) => ({ matchLabelExpressions: [{ key: "zone", values }] });
  const path = "allowedTopologies";
  const findingsOf = (allowedTopologies: Json, parameters: Json = {}) => {
    const fields = { provisioner: "a.b/c", allowedTopologies, parameters };
    const made = created<StorageClass>(storageClassKind, fields);
    delete made.metadata.namespace;
    return storageClassKind.rules.validate(made).map(formatFinding);
  };
  expect(findingsOf([term("a", "b"), term("a")])).toEqual([]);
  expect(findingsOf([term("a", "b"), term("b", "a"), {}])).toEqual([
    `${path}[1].matchLabelExpressions: Duplicate value: ""`,
    `${path}[2].matchLabelExpressions: Duplicate value: ""`,
  ]);
  expect(findingsOf([{ matchLabelExpressions: [{ key: "a" }] }, term("a", "a")])).toEqual([
    `${path}[0].matchLabelExpressions[0].values: Required value`,
    `${path}[1].matchLabelExpressions[0].values[1]: Duplicate value: "a"`,
  ]);
  expect(findingsOf([], { "": "x" })).toEqual([
    'parameters: Invalid value: "": field can not be empty.',
  ]);
});
