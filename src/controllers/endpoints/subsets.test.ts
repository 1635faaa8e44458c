import { expect, test } from "vitest";
import { podBody } from "../../../test/builders/resources.ts";
import type { Pod, Service } from "../../api/generated/core.ts";
import { MAX_ADDRESSES, subsetsOf, truncated } from "./subsets.ts";

function aService(spec: object = {}): Service {
  const metadata = { name: "svc", namespace: "default" };
  const ports = [{ name: "a", port: 80 }];
  const full = { clusterIP: "10.96.0.9", selector: { app: "x" }, ports, ...spec };
  return { metadata, spec: full } as unknown as Service;
}

function aPod(name: string, ip: string, isReady = true): Pod {
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  const status = { phase: "Running", podIP: ip, conditions } as Pod["status"];
  return { ...podBody({ name, namespace: "default", uid: `uid-${name}` }), status };
}

const short = (service: Service, pods: readonly Pod[]) =>
  subsetsOf(service, pods).map(({ addresses, notReadyAddresses, ports }) => ({
    ready: (addresses ?? []).map(({ ip }) => ip),
    unready: (notReadyAddresses ?? []).map(({ ip }) => ip),
    ports: (ports ?? []).map(({ port }) => port),
  }));

test("ready and unready pods share a subset, sorted by address", () => {
  const pods = [aPod("c", "10.0.0.3"), aPod("b", "10.0.0.2", false), aPod("a", "10.0.0.1")];
  expect(short(aService(), pods)).toEqual([
    { ready: ["10.0.0.1", "10.0.0.3"], unready: ["10.0.0.2"], ports: [80] },
  ]);
});

test("ports that all pods have are in one subset", () => {
  const service = aService({
    ports: [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ],
  });
  const [only, ...others] = short(service, [aPod("a", "10.0.0.1")]);
  expect(others).toEqual([]);
  expect(only?.ports.toSorted()).toEqual([80, 81]);
});

test("a Service with a cluster IP whose ports match no pod has no subset", () => {
  const service = aService({ ports: [{ name: "a", port: 80, targetPort: "unknown" }] });
  expect(short(service, [aPod("a", "10.0.0.1")])).toEqual([]);
});

test("a headless Service without ports has addresses", () => {
  const service = aService({ clusterIP: "None", ports: [] });
  expect(short(service, [aPod("a", "10.0.0.1")])).toEqual([
    { ready: ["10.0.0.1"], unready: [], ports: [] },
  ]);
});

test("if there are too many addresses, ready ones are kept", () => {
  const ips = Array.from({ length: MAX_ADDRESSES + 5 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
  const pods = ips.map((ip, at) => aPod(`p${at}`, ip, at >= 10));
  const { subsets, isTruncated } = truncated(subsetsOf(aService(), pods));
  expect(isTruncated).toBe(true);
  expect(subsets[0]?.addresses).toHaveLength(MAX_ADDRESSES - 5);
  expect(subsets[0]?.notReadyAddresses).toHaveLength(5);
});
