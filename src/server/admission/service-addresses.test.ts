import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { ApiError } from "../../api/errors.ts";
import type { Service } from "../../api/generated/core.ts";
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { alignClusterIPs } from "../../kinds/service/families.ts";
import { serviceKind } from "../../kinds/service/kind.ts";
import type { Change, Store } from "../../store/types.ts";
import { openServiceAddresses } from "./service-addresses.ts";

type Spec = { [field: string]: Json };
type Listener = (change: Change) => void;

/** Allocation on top of a fake store of Services. */
function cluster(cidr: string, held: readonly Service[] = []) {
  let tell: Listener = () => {};
  const store: Pick<Store, "list" | "subscribe"> = {
    list: () => ({ revision: 1, items: held, more: false }),
    subscribe: (_resource, _after, listener) => {
      tell = listener;
      return { close: () => {} };
    },
  };
  const addresses = openServiceAddresses(store, cidr);
  const change = (type: Change["type"], object: KubeObject, previous?: KubeObject) =>
    tell({
      revision: 2,
      type,
      key: { resource: "services", namespace: "ns", name: "s" },
      object,
      ...(previous ? { previous } : {}),
    });
  const allocate = (spec: Spec, old?: Service): Draft<Service> => {
    const service = created<Service>(serviceKind, { spec });
    alignClusterIPs(service);
    addresses.allocate(service as unknown as Draft<KubeObject>, old);
    return service;
  };
  const add = (spec: Spec): Draft<Service> => {
    const service = allocate(spec);
    change("ADDED", service);
    return service;
  };
  const pretend = (spec: Spec): Draft<Service> => {
    const service = created<Service>(serviceKind, { spec });
    alignClusterIPs(service);
    addresses.pretend(service as unknown as Draft<KubeObject>);
    return service;
  };
  return { addresses, allocate, add, change, pretend };
}

const port = { ports: [{ port: 80 }] };

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "allocated";
}

test("the first address is the server's, and others start above the reserved part", () => {
  const { addresses, add } = cluster("10.96.0.0/16");
  expect(addresses.first).toBe("10.96.0.1");
  expect([add(port).spec.clusterIP, add(port).spec.clusterIP]).toEqual(["10.96.1.1", "10.96.1.2"]);
});

test("an address is taken only when the Service is stored", () => {
  const { allocate } = cluster("10.96.0.0/16");
  expect(allocate({ ...port, clusterIP: "10.96.0.9" }).spec.clusterIP).toBe("10.96.0.9");
  expect(message(() => allocate({ ...port, clusterIP: "10.96.0.9" }))).toBe("allocated");
});

test.each([
  ["10.96.0.9", "provided IP is already allocated"],
  ["10.97.0.9", "the provided network does not match the current range"],
  ["10.96.255.255", "the provided network does not match the current range"],
])("%s is rejected: %s", (clusterIP, problem) => {
  const { add, allocate } = cluster("10.96.0.0/16");
  add({ ...port, clusterIP: "10.96.0.9" });
  expect(message(() => allocate({ ...port, clusterIP }))).toBe(
    `422 Service "j" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: ` +
      `failed to allocate IP ${clusterIP}: ${problem}`,
  );
});

test("a dry run takes nothing, ignores taken addresses and gets placeholders", () => {
  const { add, pretend } = cluster("10.96.0.0/16");
  add({ ...port, clusterIP: "10.96.0.9" });
  expect(message(() => pretend({ ...port, clusterIP: "10.96.0.9" }))).toBe("allocated");
  const { spec } = pretend({ type: "NodePort", ports: [{ port: 1 }, { port: 2 }] });
  expect(spec.clusterIP).toBe("10.96.0.0");
  expect(spec.ports?.map(({ nodePort }) => nodePort)).toEqual([32769, 32770]);
  expect(message(() => pretend({ type: "NodePort", ports: [{ port: 1, nodePort: 1 }] }))).toBe(
    "allocated",
  );
});

test("a dry run with an address outside the range is rejected", () => {
  const { pretend } = cluster("10.96.0.0/16");
  expect(message(() => pretend({ ...port, clusterIP: "10.97.0.9" }))).toContain(
    "the provided IP (10.97.0.9) is not in the valid range. " +
      "The range of valid IPs is 10.96.0.0/16",
  );
});

test("deleting a Service frees its address and node ports", () => {
  const { add, allocate, change } = cluster("10.96.0.0/16");
  const spec = { type: "NodePort", clusterIP: "10.96.0.9", ports: [{ port: 80, nodePort: 30080 }] };
  const service = add(spec);
  change("DELETED", service, service);
  expect(message(() => allocate(spec))).toBe("allocated");
});

test("an update keeps the Service's addresses and ports, and frees those it drops", () => {
  const { add, allocate, change } = cluster("10.96.0.0/16");
  const old = add({ type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] });
  const clusterIP = old.spec.clusterIP ?? "";
  const same = { type: "NodePort", clusterIP, ports: [{ port: 80, nodePort: 30080 }] };
  expect(message(() => allocate(same, old))).toBe("allocated");
  const next = allocate({ clusterIP, ...port }, old);
  change("MODIFIED", next, old);
  expect(message(() => allocate({ ...same, clusterIP: "10.96.0.10" }))).toBe("allocated");
});

test("stored Services hold their addresses after a restart", () => {
  const held = cluster("10.96.0.0/16").add({ ...port, clusterIP: "10.96.0.9" });
  const { allocate } = cluster("10.96.0.0/16", [held]);
  expect(message(() => allocate({ ...port, clusterIP: "10.96.0.9" }))).toMatch(
    /already allocated$/,
  );
});

test("each port gets a node port within the range, shared by its protocols", () => {
  const { add, allocate } = cluster("10.96.0.0/16");
  const ports = [
    { name: "t", port: 53 },
    { name: "u", port: 53, protocol: "UDP" },
    { name: "w", port: 80 },
  ];
  const given = add({ type: "NodePort", ports }).spec.ports?.map(({ nodePort }) => nodePort);
  expect(given).toEqual([30086, 30086, 30087]);
  const asking = (nodePort: number) => () =>
    allocate({ type: "NodePort", ports: [{ port: 1, nodePort }] });
  expect(message(asking(30086))).toMatch(
    /spec.ports\[0\].nodePort: Invalid value: 30086: provided port is already allocated$/,
  );
  expect(message(asking(80))).toMatch(/The range of valid ports is 30000-32767$/);
});

test("a LoadBalancer with local traffic gets a health check port", () => {
  const { allocate } = cluster("10.96.0.0/16");
  const spec = { type: "LoadBalancer", externalTrafficPolicy: "Local", ...port };
  const service = allocate(spec);
  expect(service.spec.ports?.[0]?.nodePort).toBe(30086);
  expect(service.spec.healthCheckNodePort).toBe(30087);
});

test("headless and ExternalName Services get no address", () => {
  const { allocate } = cluster("10.96.0.0/16");
  expect(allocate({ clusterIP: "None" }).spec.clusterIPs).toEqual(["None"]);
  const alias = allocate({ type: "ExternalName", externalName: "a.b" });
  expect(alias.spec).not.toHaveProperty("clusterIP");
});

test("a full range is reported", () => {
  const { add, allocate } = cluster("10.96.0.0/30");
  expect([add(port).spec.clusterIP, add(port).spec.clusterIP]).toEqual(["10.96.0.1", "10.96.0.2"]);
  expect(message(() => allocate(port))).toBe(
    "500 Internal error occurred: failed to allocate a serviceIP: range is full",
  );
});

test("a Service cannot use a node port twice, except for the same port", () => {
  const { allocate } = cluster("10.96.0.0/16");
  const asking = (port: number) => () =>
    allocate({
      type: "NodePort",
      ports: [
        { name: "a", port: 53, nodePort: 30053 },
        { name: "b", port, protocol: "UDP", nodePort: 30053 },
      ],
    });
  expect(message(asking(53))).toBe("allocated");
  expect(message(asking(54))).toMatch(
    /spec.ports\[1\].nodePort: Invalid value: 30053: provided port is already allocated$/,
  );
});

test("a misplaced node port and a new address of an existing Service are not checked", () => {
  const { add, allocate } = cluster("10.96.0.0/16");
  expect(message(() => allocate({ ports: [{ port: 80, nodePort: 80 }] }))).toBe("allocated");
  const old = add(port);
  expect(message(() => allocate({ ...port, clusterIP: "10.99.0.1" }, old))).toBe("allocated");
  const alias = add({ type: "ExternalName", externalName: "a.b" });
  expect(message(() => allocate({ ...port, clusterIP: "10.99.0.1" }, alias))).toMatch(
    /does not match the current range$/,
  );
});
