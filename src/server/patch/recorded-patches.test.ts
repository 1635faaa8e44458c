import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ApiError } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { DecodeError, decodeObject } from "../../api/schema/decode.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import { findMessageOfKind } from "../../api/schema/tables.ts";
import { applyPatch, type PatchType } from "./apply-patch.ts";

interface Step {
  readonly request: {
    readonly method: string;
    readonly headers?: Readonly<Record<string, string | null>>;
    readonly body?: unknown;
  };
  readonly response: { readonly status: number; readonly body: KubeObject };
}

const FILE = new URL("../../../test/conformance/recordings/api/patch.json", import.meta.url);
/** The decoder needs a real time where the recordings contain a placeholder. */
const TEXT = readFileSync(FILE, "utf8").replaceAll("{{time}}", "2024-01-01T00:00:00Z");
const { cases } = JSON.parse(TEXT) as {
  cases: readonly { readonly name: string; readonly steps: readonly Step[] }[];
};

const TYPES = new Map<string, PatchType>([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
]);

test.each(cases)("recorded: $name", ({ steps }) => {
  let current: KubeObject | undefined;
  for (const { request, response } of steps) {
    const type = TYPES.get(request.headers?.["Content-Type"]?.split(";")[0] ?? "");
    if (type !== undefined && current !== undefined) {
      expectAnswer(response, () => patched(type, textOf(request.body), current));
    }
    if (response.status < 300) current = response.body;
  }
});

/** The server continues with the result of applyPatch: it may reject it, or add defaults. */
function expectAnswer({ status, body }: Step["response"], apply: () => object): void {
  const outcome = outcomeOf(apply);
  if (outcome instanceof ApiError) {
    expect(outcome.message).toBe((body as unknown as { message: string }).message);
    // Kubernetes answers some mistakes of the client with a 500; Tally answers 400.
    expect(outcome.code).toBe(status === 500 ? 400 : status);
  } else if (outcome instanceof DecodeError) {
    expect(status).toBe(422);
  } else if (status < 300) {
    expect(body).toMatchObject(outcome);
  }
}

function outcomeOf(apply: () => object): object {
  try {
    return apply();
  } catch (error) {
    if (error instanceof ApiError || error instanceof DecodeError) return error;
    throw error;
  }
}

function patched(type: PatchType, body: string, current: KubeObject | undefined): object {
  if (current === undefined) throw new Error("nothing to patch");
  const [version = "", group = ""] = current.apiVersion.split("/").reverse();
  const message = findMessageOfKind({ group, version, kind: current.kind }) ?? "";
  const { result } = applyPatch({ type, body, current, message });
  const { apiVersion, kind } = current;
  const { object } = decodeObject(parsed(result), message, { apiVersion, kind });
  return withoutServerFields(object);
}

/** Defaults treat a zero targetPort as absent; the store sets the versions. */
function withoutServerFields(object: object): object {
  const dropped = new Set(["resourceVersion", "generation"]);
  return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    dropped.has(key) || (key === "targetPort" && value === 0) ? undefined : value,
  );
}

function textOf(body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.replace(/\{\{repeat:(.+?):([0-9]+)\}\}/gs, (_, piece: string, count: string) =>
    piece.repeat(Number(count)),
  );
}
