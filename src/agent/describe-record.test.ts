import { expect, test } from "vitest";
import { boundPod } from "../../test/builders/pod-facts.ts";
import { describeRecord } from "./describe-record.ts";
import { newRecord } from "./pod-record.ts";

const id = (attempt: number) => ({ podUid: "u", container: "c", attempt });

test("a record is described with its runs, and without what they printed", () => {
  const pod = boundPod({ metadata: { name: "p", uid: "u" } });
  const last = { id: id(0), exitCode: 3, startedMs: 1, finishedMs: 2 };
  const running = { id: id(1), pid: 42, startedMs: 3 };
  const known = { attempt: 1, running, last, terminationMessage: "secret" };
  const record = newRecord(pod, { acceptedMs: 0, containers: { c: known } }, [id(0)]);
  const described = describeRecord(record);
  expect(described).toMatchObject({
    pod: "default/p",
    uid: "u",
    isAdmitted: false,
    acceptedMs: 0,
    unforgotten: 1,
    containers: {
      c: {
        attempt: 1,
        running: { pid: 42, startedMs: 3 },
        last: { attempt: 0, exitCode: 3 },
      },
    },
  });
  expect(JSON.stringify(described)).not.toContain("secret");
});

test("a container that is held back is described with the reason", () => {
  const waiting = { reason: "WaitingForPredecessor", message: "pod u2 runs" };
  const facts = { containers: { c: { attempt: 0, waiting } } };
  const described = describeRecord(newRecord(boundPod(), facts));
  expect(described["containers"]).toEqual({ c: { attempt: 0, waiting } });
});
