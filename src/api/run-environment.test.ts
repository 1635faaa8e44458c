import { expect, test } from "vitest";
import {
  composeEnvironmentSecret,
  parseEnvironmentSecret,
  type RunEnvironment,
  variablesOf,
} from "./run-environment.ts";

const GIVEN: RunEnvironment = {
  variables: Buffer.from("FOO=a=b\nc\0RAW=\xff\0EMPTY=\0FOO=later\0nothing\0=odd\0", "latin1"),
  workingDirectory: "/a dir/é",
  umask: "0027",
  limits: "nofile=1:2",
};

test("an environment is stored byte for byte", () => {
  const secret = composeEnvironmentSecret(GIVEN, { name: "e", namespace: "n" });
  expect(secret).toMatchObject({ kind: "Secret", immutable: true, metadata: { name: "e" } });
  expect(parseEnvironmentSecret(secret)).toEqual(GIVEN);
});

test("variables are found by name; of duplicates the first counts", () => {
  expect([...variablesOf(GIVEN)]).toEqual([
    ["FOO", "a=b\nc"],
    ["RAW", "\udcff"],
    ["EMPTY", ""],
  ]);
});

test("a Secret that is not an environment is rejected with the problem", () => {
  const secret = composeEnvironmentSecret(GIVEN, { name: "e" });
  const { limits: _, ...data } = secret.data ?? {};
  const problemOf = (change: object) => parseEnvironmentSecret({ ...secret, ...change });
  expect(problemOf({ type: "Opaque" })).toEqual({
    problem: "is not of type tallyjob.io/environment",
  });
  expect(problemOf({ data })).toEqual({ problem: 'has no key "limits"' });
  const umask = Buffer.from("9; reboot").toString("base64");
  expect(problemOf({ data: { ...secret.data, umask } })).toHaveProperty("problem");
});
