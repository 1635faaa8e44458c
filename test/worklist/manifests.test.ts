/** Manifests for any Kubernetes: taken by a server, and their script does the look-up. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Job } from "../../src/api/generated/batch.ts";
import type { ConfigMap } from "../../src/api/generated/core.ts";
import { configMaps, jobs, secrets } from "../../src/api/resources.ts";
import { parseYaml } from "../../src/api/schema/yaml-text.ts";
import { localClient } from "../../src/client/local.ts";
import { printManifests } from "../../src/runs/commands/dry-run.ts";
import { composeManifests } from "../../src/runs/compose/compose-manifests.ts";
import type { RunRequest } from "../../src/runs/compose/run-request.ts";
import { aServer } from "../builders/server.ts";

const REQUEST: RunRequest = {
  name: "say-fruit",
  namespace: "default",
  suffix: "x7k2p",
  image: "busybox",
  command: ["sh", "-c", 'echo "Have a nice $COLOR $FRUIT"'],
  list: {
    parameters: ["FRUIT", "COLOR"],
    columns: [
      ["apple", "banana", "cherry's"],
      ["green", "yellow", "red"],
    ],
  },
  parallelism: 3,
};

async function accepted(request: RunRequest) {
  const client = localClient(aServer());
  const taken: { list?: ConfigMap; job?: Job } = {};
  for (const object of composeManifests(request).objects) {
    if (object.kind === "Job") taken.job = await client.create(jobs, object as Job);
    else if (object.kind === "Secret") await client.create(secrets, object);
    else taken.list = await client.create(configMaps, object as ConfigMap);
  }
  return taken;
}

test("the Job runs the script that is mounted, and names nothing that is not there", async () => {
  const { list, job } = await accepted(REQUEST);
  const { containers, volumes } = job?.spec.template.spec ?? {};
  expect(containers?.[0]).toMatchObject({
    image: "busybox",
    command: ["sh", "/tally/run.sh"],
    volumeMounts: [{ name: "tally-run", mountPath: "/tally", readOnly: true }],
  });
  expect(volumes).toMatchObject([{ name: "tally-run", configMap: { name: list?.metadata.name } }]);
  expect(job?.metadata.annotations).toEqual({
    "tallyjob.io/backoff-base": "1s",
    "tallyjob.io/backoff-cap": "60s",
  });
  expect(list?.immutable).toBe(true);
});

test("each index does what it should", async () => {
  const { list } = await accepted(REQUEST);
  const directory = mkdtempSync(join(tmpdir(), "tally-manifests-"));
  try {
    const file = join(directory, "run.sh");
    writeFileSync(file, list?.data?.["run.sh"] ?? "");
    const outputs = ["0", "1", "2"].map((JOB_COMPLETION_INDEX) => {
      const env = { PATH: process.env["PATH"] ?? "", JOB_COMPLETION_INDEX };
      return spawnSync("sh", [file], { env, encoding: "utf8" }).stdout;
    });
    expect(outputs).toEqual([
      "Have a nice green apple\n",
      "Have a nice yellow banana\n",
      "Have a nice red cherry's\n",
    ]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("the same list has the same name, another one has another", () => {
  const nameOf = (request: RunRequest) => composeManifests(request).objects[0]?.metadata.name;
  expect(nameOf({ ...REQUEST, suffix: "other" })).toBe(nameOf(REQUEST));
  expect(nameOf({ ...REQUEST, command: ["true"] })).not.toBe(nameOf(REQUEST));
});

test("a secret list is a Secret", async () => {
  const { job } = await accepted({ ...REQUEST, paramsIn: "secret" });
  expect(job?.spec.template.spec.volumes?.[0]?.secret?.secretName).toMatch(/^say-fruit-list-/);
});

test("without a list there is a Job alone", () => {
  const { list: _, ...rest } = REQUEST;
  const { objects } = composeManifests({ ...rest, completions: 3, command: ["true"] });
  expect(objects.map(({ kind }) => kind)).toEqual(["Job"]);
});

function listOf(count: number) {
  const column = Array.from({ length: count }, (_, at) => `item number ${at} of a long list`);
  return { parameters: ["F"], columns: [column] };
}

test("a list that does not fit is refused with the limit", () => {
  expect(() => composeManifests({ ...REQUEST, list: listOf(30_000) })).toThrow(
    /^the list does not fit: its script has \d+ bytes, and one object of a cluster holds 1048576/,
  );
});

test("one that kubectl apply could not take is said to be so", () => {
  expect(
    composeManifests({ ...REQUEST, list: listOf(10_000), command: ["echo", "{F}"] }).notices,
  ).toEqual([
    "the list is too long for kubectl apply: use kubectl create, or kubectl apply --server-side",
  ]);
});

test.each<[Partial<RunRequest>, string]>([
  [{ command: [] }, 'there is no command: write it after "--"'],
])("%j is refused", (fields, problem) => {
  expect(() => composeManifests({ ...REQUEST, ...fields })).toThrow(problem);
});

test("a parameter that shells use themselves is refused", () => {
  const list = { parameters: ["UID"], columns: [["1"]] };
  expect(() => composeManifests({ ...REQUEST, list, command: ["echo", "{UID}"] })).toThrow(
    "the parameter UID has a meaning of its own to shells",
  );
});

test("the programs of this machine are not there", () => {
  const { image: _, ...rest } = REQUEST;
  expect(() => composeManifests(rest)).toThrow(
    "--dry-run=client is for clusters, which need --image",
  );
});

function printed(output: string | undefined, dryRun = "client") {
  const texts: string[] = [];
  const machine = { writeOut: (text: string) => void texts.push(text), writeError: () => {} };
  printManifests(REQUEST, { dryRun, ...(output === undefined ? {} : { output }) }, machine);
  return texts.join("");
}

test("it is printed as YAML documents, or as one JSON list", () => {
  const kinds = printed(undefined)
    .split("---\n")
    .map((document) => (parseYaml(document).value as { kind: string }).kind);
  expect(kinds).toEqual(["ConfigMap", "Job"]);
  const { items } = JSON.parse(printed("json")) as { items: { kind: string }[] };
  expect(items.map(({ kind }) => kind)).toEqual(kinds);
  expect(() => printed("name")).toThrow("--output must be yaml or json here");
  expect(() => printed("yaml", "server")).toThrow("--dry-run must be client");
});
