import { expect, test } from "vitest";
import { sourcesOf } from "./sources.ts";

test("the sources of a container are all it names, optional or not, each once", () => {
  const sources = sourcesOf({
    name: "c",
    resources: {},
    envFrom: [
      { configMapRef: { name: "a" } },
      { configMapRef: { name: "b", optional: true } },
      { secretRef: { name: "s" } },
    ],
    env: [
      { name: "A", valueFrom: { configMapKeyRef: { name: "a", key: "k" } } },
      { name: "B", valueFrom: { secretKeyRef: { name: "t", key: "k", optional: true } } },
      { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "D", value: "d" },
    ],
  });
  expect([...sources.configMaps]).toEqual(["a", "b"]);
  expect([...sources.secrets]).toEqual(["s", "t"]);
});
