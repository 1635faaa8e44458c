/** The manifests for clusters: complete, in order, with no more permissions than are used. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { composeInstallation } from "../../src/cli/install-manifests.ts";
import { projectFile } from "../support/project-file.ts";

const read = (file: string) => readFile(projectFile(file), "utf8");
const BASE = ["namespace", "roles", "controller"].map((name) => `deploy/base/${name}.yaml`);

test.each(["deploy/base", "deploy/crds"])("%s lists exactly the files in it", async (folder) => {
  const { resources } = parse(await read(`${folder}/kustomization.yaml`));
  const present = (await readdir(projectFile(folder))).filter((name) => name.endsWith(".yaml"));
  const optional = ["kustomization.yaml", "secrets-role.yaml"];
  const own = present.filter((name) => !optional.includes(name));
  expect(resources.filter((name: string) => name !== "../crds").sort()).toEqual(own.sort());
});

test("tally accepts the command of the Deployment", async () => {
  const objects = composeInstallation(await Promise.all(BASE.map(read)), CHOSEN);
  const deployment = objects.at(-1) as unknown as Deployment;
  const [container] = deployment.spec.template.spec.containers;
  const [command, ...flags] = container?.args ?? [];
  expect(command).toBe("controller");
  // With --help the command exits after it has parsed its flags.
  const args = [projectFile("dist/main.js"), "controller", ...flags, "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  for (const flag of flags) expect(stdout).toContain(flag.split("=")[0]);
  const [, port = ""] = flags.find((flag) => flag.startsWith("--health-port="))?.split("=") ?? [];
  expect(container?.ports).toEqual([{ name: "health", containerPort: Number(port) }]);
});

const CHOSEN = { namespace: "elsewhere", image: "registry.example.com/tally:1", replicas: 3 };

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: readonly Container[] } };
  };
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly object[];
}

test("an installation uses the chosen namespace and image", async () => {
  const objects = composeInstallation(await Promise.all(BASE.map(read)), CHOSEN);
  expect(JSON.stringify(objects)).not.toContain("tally-system");
  expect(objects[0]).toMatchObject({ kind: "Namespace", metadata: { name: "elsewhere" } });
  const deployment = objects.at(-1) as unknown as Deployment;
  expect(deployment.spec.replicas).toBe(3);
  expect(deployment.spec.template.spec.containers[0]?.image).toBe(CHOSEN.image);
  const { image: _, ...without } = CHOSEN;
  const kinds = composeInstallation(await Promise.all(BASE.map(read)), without).map(
    ({ kind }) => kind,
  );
  expect(kinds).not.toContain("Deployment");
});

test("for one namespace, all roles are in it and the controller gets --namespace", async () => {
  const texts = await Promise.all([...BASE, "deploy/base/secrets-role.yaml"].map(read));
  const objects = composeInstallation(texts, { ...CHOSEN, watched: "batch" });
  const kinds = objects.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind.startsWith("Cluster"))).toEqual([]);
  const placed = objects.filter(({ metadata }) => metadata.namespace === "batch");
  expect(placed.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "Role tallyjob-controller",
    "Role tallyjob-controller-secrets",
    "RoleBinding tallyjob-controller",
    "RoleBinding tallyjob-controller-secrets",
  ]);
  for (const { roleRef, subjects, kind } of placed) {
    if (kind === "Role") continue;
    expect(roleRef).toMatchObject({ kind: "Role" });
    expect(subjects).toMatchObject([{ namespace: CHOSEN.namespace }]);
  }
  const deployment = objects.at(-1) as unknown as Deployment;
  const [container] = deployment.spec.template.spec.containers;
  expect(container?.args).toContain("--namespace=batch");
});

test("no role has a wildcard, and only secrets-role.yaml allows reading Secrets", async () => {
  const rules = parseAllDocuments(await read("deploy/base/roles.yaml"))
    .map((document) => document.toJS())
    .flatMap((object) => object.rules ?? []);
  const words = rules.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]);
  expect(words).not.toContain("*");
  expect(words).not.toContain("secrets");
});

test("the image runs as a non-root user and starts what the Deployment expects", async () => {
  const lines = (await read("Dockerfile")).split("\n");
  expect(lines.filter((line) => line.startsWith("USER "))).toEqual(["USER 65532:65532"]);
  expect(lines).toContain('ENTRYPOINT ["node", "/tally/dist/main.js"]');
  const copied = lines.flatMap(
    (line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? [],
  );
  for (const path of copied) expect(await readable(path), path).toBe(true);
});

async function readable(file: string): Promise<boolean> {
  return (await readdir(projectFile("."))).includes(file);
}
