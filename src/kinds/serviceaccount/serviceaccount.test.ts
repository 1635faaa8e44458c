import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import type { ServiceAccount } from "../../api/generated/core.ts";
import { serviceAccountKind } from "./kind.ts";

const { prepareForCreate, warningsOnCreate, warningsOnUpdate } = serviceAccountKind.rules;

test("only the names of an account's secrets are kept", () => {
  const account = created<ServiceAccount>(serviceAccountKind, {
    secrets: [{ name: "a", namespace: "b", kind: "Secret" }, {}],
  });
  prepareForCreate?.(account);
  expect(account.secrets).toEqual([{ name: "a" }, {}]);
});

test("a deprecated annotation causes one warning", () => {
  const key = "kubernetes.io/enforce-mountable-secrets";
  const annotated = created(serviceAccountKind, { metadata: { annotations: { [key]: "true" } } });
  const warning =
    `metadata.annotations[${key}]: deprecated in v1.32+; ` +
    "prefer separate namespaces to isolate access to mounted secrets";
  expect(warningsOnCreate?.(annotated)).toEqual([warning]);
  expect(warningsOnUpdate?.(annotated, created(serviceAccountKind, {}))).toEqual([warning]);
  expect(warningsOnUpdate?.(annotated, annotated)).toEqual([]);
});
