import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { KubeObject } from "../../api/object.ts";
import { keyOf } from "../context.ts";
import { parseRoute } from "../http/route.ts";

/** Laws that must hold for every object, tested with all recorded ones. */
const RECORDINGS = new URL("../../../test/conformance/recordings/api/", import.meta.url);

interface Step {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response?: { readonly status: number };
}

const texts = readdirSync(RECORDINGS).map((file) =>
  readFileSync(new URL(file, RECORDINGS), "utf8"),
);
const steps = texts.flatMap((text) =>
  (JSON.parse(text) as { cases: { steps: Step[] }[] }).cases.flatMap((each) => each.steps),
);

interface Body {
  readonly path: string;
  readonly body: string;
}

/**
 * By resource, the bodies that a real cluster accepted and that do not refer to earlier answers.
 */
const accepted = new Map<string, Body[]>();
for (const { request, response } of steps) {
  if (request?.method !== "POST" || response?.status !== 201) continue;
  const path = resolve(request.path).split("?")[0] ?? "";
  const body = resolve(JSON.stringify(request.body ?? ""));
  const resource = path.split("/").at(-1) ?? "";
  if (body.includes("{{") || /reviews$|^bindings?$|^eviction$/.test(resource)) continue;
  const found = accepted.get(resource) ?? [];
  if (!found.some((each) => each.body === body)) accepted.set(resource, [...found, { path, body }]);
}

function resolve(text: string): string {
  return text
    .replaceAll("{{ns}}", "default")
    .replace(/\{\{repeat:(.+?):([0-9]+)\}\}/gs, (_, piece: string, count: string) =>
      piece.repeat(Number(count)),
    );
}

const resources = [...accepted];

/** Calls `judge` with each object after its creation, and then removes it. */
function withEach(
  bodies: readonly Body[],
  judge: (server: TestServer, url: string, made: KubeObject) => void,
): void {
  const server = aServer();
  let judged = 0;
  for (const { path, body } of bodies) {
    const { status, object } = ask(server, "POST", path, body);
    // Some need another object, which an earlier step has created.
    if (status !== 201) continue;
    judged++;
    const url = `${path}/${encodeURIComponent(object.metadata.name ?? "")}`;
    // A new Job is stored without the labels it shows: the first write of any kind adds them.
    const settled = object.kind === "Job" ? ask(server, "PUT", url, object).object : object;
    judge(server, url, settled);
    forget(server, url);
  }
  expect(judged).toBeGreaterThan(0);
}

function forget(server: TestServer, url: string): void {
  const route = parseRoute(url);
  if (route?.kind !== "resource") throw new Error(`not a resource: ${url}`);
  const { namespace = "", name = "", ...resource } = route.resource;
  const kind = server.registry.findResource(resource);
  const key = kind && keyOf(kind, namespace, name);
  const found = key && server.store.get(key);
  if (found) server.store.remove(key, found.metadata.resourceVersion ?? "");
}

test("the recordings contain many resources", () => {
  expect(resources.length).toBeGreaterThan(15);
});

test.each(resources)("%s: an empty patch changes nothing", (_, bodies) => {
  withEach(bodies, (server, url, made) => {
    const before = server.store.revision;
    for (const [type, patch] of [
      ["merge-patch", {}],
      ["strategic-merge-patch", {}],
      ["json-patch", []],
    ] as const) {
      const headers = { contentType: `application/${type}+json` };
      const patched = ask(server, "PATCH", url, patch, headers);
      expect([patched.status, patched.object]).toEqual([200, made]);
    }
    expect(server.store.revision).toBe(before);
  });
});

test.each(resources)(
  "%s: writing the object as read changes nothing, in any format",
  (_, bodies) => {
    withEach(bodies, (server, url, made) => {
      const before = server.store.revision;
      for (const media of ["json", "yaml", "vnd.kubernetes.protobuf"]) {
        const contentType = `application/${media}`;
        const read = ask(server, "GET", url, undefined, { accept: contentType });
        const written = ask(server, "PUT", url, read.bytes, { contentType });
        expect([media, written.status, written.object]).toEqual([media, 200, made]);
      }
      expect(server.store.revision).toBe(before);
    });
  },
);

test.each(resources)("%s: a dry run returns the result and writes nothing", (_, bodies) => {
  const server = aServer();
  for (const { path, body } of bodies) {
    const before = server.store.revision;
    const dry = ask(server, "POST", `${path}?dryRun=All`, body);
    expect(server.store.revision).toBe(before);
    const real = ask(server, "POST", path, body);
    // A dry run does not check whether addresses and ports are free.
    if (/provided (?:IP|port|network)/.test(real.text)) continue;
    expect([dry.status, dry.warnings]).toEqual([real.status, real.warnings]);
    if (real.status !== 201) continue;
    const url = `${path}/${encodeURIComponent(real.object.metadata.name ?? "")}`;
    const after = server.store.revision;
    const labels = { metadata: { labels: { dry: "run" } } };
    const patched = ask(server, "PATCH", `${url}?dryRun=All`, labels);
    expect(patched.object.metadata.labels).toMatchObject({ dry: "run" });
    expect(ask(server, "DELETE", `${url}?dryRun=All`).status).toBe(200);
    expect(server.store.revision).toBe(after);
    forget(server, url);
  }
});
