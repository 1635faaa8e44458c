/** A run that prints more than the log limit. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cluster, script, stateOf, until } from "./cluster.ts";

const LIMIT = 10_000;
const NOISE = "yes noise | head -c 100000";
const printed = `container c printed more than the ${LIMIT} bytes that are kept of one run`;

describe.each([
  ["cut", "what it prints from here on is discarded"],
  ["fail", "it is failed"],
])("with --on-log-limit=%s a run that prints too much", (mode, what) => {
  let cluster: Cluster;
  beforeAll(async () => {
    const args = [`--log-max-bytes=${LIMIT}`, `--on-log-limit=${mode}`];
    cluster = await Cluster.start({ args });
  });
  afterAll(() => cluster.dispose());

  test.each([
    ["at once", NOISE],
    ["and continues", `${NOISE}; sleep 1`],
  ])("%s keeps its first bytes, and an event reports it", async (when, text) => {
    const name = when.replaceAll(" ", "-");
    await cluster.createPod(name, { containers: [script(text)] });
    const pod = await cluster.over(name);
    expect(await cluster.log(name)).toHaveLength(LIMIT);
    const message = `${printed}: ${what}`;
    await until(async () => {
      return (await cluster.eventsOf(name)).includes(`LogLimitExceeded: ${message}`);
    });
    const { terminated } = stateOf(pod) ?? {};
    if (mode === "cut") expect(terminated).toMatchObject({ exitCode: 0, reason: "Completed" });
    else expect(terminated).toMatchObject({ exitCode: 137, reason: "LogLimitExceeded", message });
  });
});
