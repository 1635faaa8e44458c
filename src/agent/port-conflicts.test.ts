import { expect, test } from "vitest";
import type { ContainerPort, Pod } from "../api/generated/core.ts";
import { findPortConflict } from "./port-conflicts.ts";

const port = (hostPort: number, fields: Partial<ContainerPort> = {}): ContainerPort => {
  return { containerPort: 80, hostPort, ...fields };
};

function podWith(...ports: readonly ContainerPort[]): Pod {
  return { spec: { containers: [{ name: "c", ports }] } } as unknown as Pod;
}

test.each<[ContainerPort, ContainerPort, boolean]>([
  [port(8080), port(8080), true],
  [port(8080), port(8081), false],
  [port(8080), port(8080, { protocol: "UDP" }), false],
  [port(8080, { hostIP: "127.0.0.1" }), port(8080), true],
  [port(8080, { hostIP: "127.0.0.1" }), port(8080, { hostIP: "127.0.0.1" }), true],
  [port(8080, { hostIP: "127.0.0.1" }), port(8080, { hostIP: "127.0.0.2" }), false],
  [{ containerPort: 80 }, { containerPort: 80 }, false],
])("%j beside %j: %s", (one, other, isConflict) => {
  const found = findPortConflict(podWith(one), () => [podWith(port(1)), podWith(other)]);
  expect(found?.reason).toBe(isConflict ? "NodePorts" : undefined);
});

test("a pod that wants no port does not look at others", () => {
  const looks = () => {
    throw new Error("it looked");
  };
  expect(findPortConflict(podWith({ containerPort: 80 }), looks)).toBeUndefined();
});

test("an init container that ends has its port no more, a sidecar keeps it", () => {
  const withInit = (restartPolicy?: string) => {
    const init = { name: "i", ports: [port(8080)], ...(restartPolicy && { restartPolicy }) };
    return { spec: { containers: [], initContainers: [init] } } as unknown as Pod;
  };
  const wanted = podWith(port(8080));
  expect(findPortConflict(wanted, () => [withInit()])).toBeUndefined();
  expect(findPortConflict(wanted, () => [withInit("Always")])).toBeDefined();
});
