/** StatefulSet scenarios with kubectl that several test files use. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { until } from "../agent/cluster.ts";
import type { Manifest } from "./manifests.ts";
import type { Prompt } from "./prompt.ts";

/** Each pod records when it starts and when it is told to stop, with its color. */
export function setOf(prompt: Prompt, replicas: number, spec: object = {}): Manifest {
  const book = bookOf(prompt);
  const note = (word: string) => `echo "${word} $INDEX $COLOR" >> ${book}`;
  const life = `trap '${note("end")}; exit 0' TERM; ${note("begin")}; while :; do sleep 0.05; done`;
  const fieldPath = "metadata.labels['apps.kubernetes.io/pod-index']";
  const env = [
    { name: "INDEX", valueFrom: { fieldRef: { fieldPath } } },
    { name: "COLOR", value: "blue" },
  ];
  const container = { name: "main", image: "busybox", command: ["sh", "-c", life], env };
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const own = { serviceName: "web", replicas, selector: { matchLabels: labels }, template };
  const kind = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "web" } };
  return { ...kind, spec: { ...own, ...spec } };
}

const bookOf = ({ home, namespace }: Prompt) => path.join(home, `${namespace}.book`);

export const linesOf = (prompt: Prompt): readonly string[] => {
  const book = bookOf(prompt);
  return existsSync(book) ? readFileSync(book, "utf8").trimEnd().split("\n") : [];
};

/** A replacement pod of a StatefulSet finds the data of the pod that it replaces. */
export async function keepDataInClaims(prompt: Prompt): Promise<void> {
  const text = JSON.stringify(setOf(prompt, 1))
    .replace(
      '"image":"busybox"',
      '"image":"busybox","volumeMounts":[{"name":"data","mountPath":"/data"}]',
    )
    .replaceAll(
      "begin $INDEX",
      "begin $(cat /data/last 2>/dev/null; echo again > /data/last) $INDEX",
    );
  const resources = { requests: { storage: "1Gi" } };
  const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources } };
  const { spec, ...rest } = JSON.parse(text);
  const stdin = { ...rest, spec: { ...spec, volumeClaimTemplates: [claim] } };
  await prompt.prints("create -f -", { stdin });
  await prompt.prints("rollout status statefulset/web --timeout=150s");
  await until(async () => linesOf(prompt).length === 1);
  // Without --wait=false, kubectl before 1.36 waits forever if the replacement exists by the time
  // it begins to watch: it then waits for the deletion of the new pod, which has the same name.
  await prompt.prints("delete pod web-0 --wait=false");
  await until(async () => linesOf(prompt).length === 3);
  expect(linesOf(prompt)).toEqual(["begin  0 blue", "end 0 blue", "begin again 0 blue"]);
  expect(await prompt.prints("get pvc -o name")).toBe("persistentvolumeclaim/data-web-0\n");
  await prompt.prints("delete statefulset web");
}
