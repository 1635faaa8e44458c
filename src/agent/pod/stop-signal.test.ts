import { expect, test } from "vitest";
import { boundPod } from "../../../test/builders/pod-facts.ts";
import type { Container } from "../../api/generated/core.ts";
import { stopSignalOf } from "./stop-signal.ts";

test.each([
  [undefined, "TERM"],
  ["SIGUSR1", "USR1"],
  ["SIGINT", "INT"],
  ["SIGWINCH", "TERM"],
])("a container that asks for %s gets %s", (stopSignal, expected) => {
  const pod = boundPod();
  const [container] = pod.spec.containers ?? [];
  const lifecycle = stopSignal === undefined ? {} : { stopSignal };
  const containers = [{ ...container, lifecycle } as Container];
  expect(stopSignalOf({ ...pod, spec: { ...pod.spec, containers } }, "c")).toBe(expected);
});
