import { expect, test } from "vitest";
import { findingsInContainer } from "../../../test/builders/pod.ts";

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or " +
  "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " +
  "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function refers(valueFrom: object): string[] {
  const volumes = [{ name: "files" }, { name: "cm", configMap: { name: "x" } }];
  const found = findingsInContainer({ env: [{ name: "A", valueFrom }] }, { volumes });
  return found.map((text) => text.replace("env[0].valueFrom.", ""));
}

test.each<[string, object, string[]]>([
  ["a label can be referenced", { fieldRef: { fieldPath: "metadata.labels['a.b/c']" } }, []],
  [
    "the key of an annotation is compared in lower case",
    { fieldRef: { fieldPath: "metadata.annotations['A/b c']" } },
    [
      'fieldRef: Invalid value: "a/b c": name part must consist of alphanumeric characters, ' +
        "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. " +
        "'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    "only labels and annotations have keys",
    { fieldRef: { fieldPath: "spec.nodeName['a']" } },
    [
      "fieldRef.fieldPath: Invalid value: \"spec.nodeName['a']\": error converting fieldPath: " +
        "field label does not support subscript: spec.nodeName['a']",
    ],
  ],
  ["the old name of nodeName is accepted", { fieldRef: { fieldPath: "spec.host" } }, []],
  [
    "a known field may not be available for variables",
    { fieldRef: { fieldPath: "status.phase" } },
    [
      'fieldRef.fieldPath: Unsupported value: "status.phase": supported values: ' +
        '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", ' +
        '"spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", ' +
        '"status.podIPs"',
    ],
  ],
  [
    "only apiVersion v1 is supported",
    { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } },
    [
      'fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: ' +
        "unsupported pod version: v2",
    ],
  ],
  ["huge pages are a resource", { resourceFieldRef: { resource: "limits.hugepages-2Mi" } }, []],
  [
    "the divisor of bytes must be a unit",
    { resourceFieldRef: { resource: "requests.ephemeral-storage", divisor: "1m" } },
    [
      'resourceFieldRef.divisor: Invalid value: "requests.ephemeral-storage": only divisor\'s ' +
        "values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the " +
        "local ephemeral storage resource",
    ],
  ],
  [
    "a config map reference needs a name and a key",
    { configMapKeyRef: { key: ".." } },
    [
      `configMapKeyRef.name: Invalid value: "": ${SUBDOMAIN}`,
      "configMapKeyRef.key: Invalid value: \"..\": must not be '..'",
    ],
  ],
  ["a file in an emptyDir", { fileKeyRef: { volumeName: "files", path: "f", key: "K" } }, []],
  [
    "a file in another type of volume",
    { fileKeyRef: { volumeName: "cm", path: "../f", key: "" } },
    [
      "fileKeyRef.key: Required value",
      "fileKeyRef.path: Invalid value: \"../f\": must not contain '..'",
      'fileKeyRef.volumeName: Invalid value: "cm": referenced volume must be of type emptyDir',
    ],
  ],
  [
    "a file with an absolute path whose name starts with two dots",
    { fileKeyRef: { volumeName: "files", path: "/..f", key: "K" } },
    [],
  ],
  [
    "a file without a volume name",
    { fileKeyRef: { volumeName: "", path: "f", key: "K" } },
    ["fileKeyRef.volumeName: Required value", 'fileKeyRef.volumeName: Not found: ""'],
  ],
  [
    "a file in a missing volume",
    { fileKeyRef: { volumeName: "none", path: "f", key: "K" } },
    ['fileKeyRef.volumeName: Not found: "none"'],
  ],
])("a variable's source: %s", (_, valueFrom, findings) => {
  expect(refers(valueFrom)).toEqual(findings);
});

test("a prefix must be a variable name; a reference may end with a dash", () => {
  const envFrom = [{ prefix: "A=", configMapRef: { name: "a-" } }, { secretRef: { name: "_" } }];
  const rule = "must consist only of printable ASCII characters other than '='";
  expect(findingsInContainer({ envFrom })).toEqual([
    `envFrom[0].prefix: Invalid value: "A=": a valid environment variable name ${rule}`,
    `envFrom[1].secretRef.name: Invalid value: "_": ${SUBDOMAIN}`,
  ]);
});
