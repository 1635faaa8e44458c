/** What kubectl learns about the server and the user: kinds, fields, versions, permissions. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { kubectlTests } from "./prompt.ts";
import { requestsOf } from "./requests.ts";

const check = kubectlTests();

check("the kinds are listed with their groups, names and verbs", async (prompt) => {
  const [all, batch, versions] = await Promise.all([
    prompt.prints("api-resources"),
    prompt.prints("api-resources --api-group=batch -o wide"),
    prompt.prints("api-versions"),
  ]);
  expect(all).toMatch(/^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND\n/);
  expect(all).toMatch(/^jobs +batch\/v1 +true +Job$/m);
  expect(all).toMatch(/^pods +po +v1 +true +Pod$/m);
  expect(all).toMatch(/^nodes +no +v1 +false +Node$/m);
  expect(batch).toMatch(/^cronjobs +cj +batch\/v1 .* create,delete,deletecollection,get,list,/m);
  expect(versions.split("\n")).toEqual(expect.arrayContaining(["apps/v1", "batch/v1", "v1"]));
});

check("discovery is fetched in one request and cached", async (prompt) => {
  const cold = await prompt.kubectl(`get jobs -v=6 --cache-dir=${prompt.home}/cold`);
  const asked = requestsOf(cold.stderr).map(({ target }) => target);
  expect(asked.filter((target) => /^\/apis?(\/[^/]+)*\?timeout/.test(target)).sort()).toEqual([
    "/api?timeout=32s",
    "/apis?timeout=32s",
  ]);
  const warm = await prompt.kubectl(`get jobs -v=6 --cache-dir=${prompt.home}/cold`);
  const again = requestsOf(warm.stderr).map(({ target }) => target);
  expect(again).toEqual([`/apis/batch/v1/namespaces/${prompt.namespace}/jobs?limit=500`]);
  const kept = await readdir(path.join(prompt.home, "cold/discovery"), { recursive: true });
  expect(kept.some((name) => name.endsWith("/v1/serverresources.json"))).toBe(true);
});

check("fields are explained from the server's OpenAPI", async (prompt) => {
  const [kind, field, recursive, pods, unknown] = await Promise.all([
    prompt.prints("explain job"),
    prompt.prints("explain job.spec.completionMode"),
    prompt.prints("explain job --recursive"),
    prompt.prints("explain pods.spec.containers.image"),
    prompt.kubectl("explain job.spec.nothing"),
  ]);
  expect(kind).toMatch(/^GROUP: +batch\nKIND: +Job\nVERSION: +v1\n\nDESCRIPTION:\n {4}\S/);
  expect(kind).toMatch(/\n {2}spec\t<JobSpec>\n/);
  expect(field).toMatch(/\nFIELD: completionMode <string>\nENUM:\n {4}Indexed\n {4}NonIndexed\n/);
  expect(field).toMatch(/\nDESCRIPTION:\n {4}\S.*JOB_COMPLETION_INDEX/s);
  expect(recursive).toMatch(
    /\n {2}spec\t<JobSpec>\n[\s\S]*\n {4}template\t<PodTemplateSpec> -required-\n/,
  );
  expect(recursive).toMatch(/\n {10}image\t<string>\n/);
  expect(pods).toMatch(/^KIND: +Pod\nVERSION: +v1\n\nFIELD: image <string>\n/);
  expect(unknown).toMatchObject({
    code: 1,
    stderr: 'error: field "nothing" does not exist\n',
  });
});

check("fields are also explained from the older OpenAPI", async (prompt) => {
  const [field, containers] = await Promise.all([
    prompt.prints("explain job.spec.completions --output=plaintext-openapiv2"),
    prompt.prints("explain pods.spec.containers --output=plaintext-openapiv2"),
  ]);
  expect(field).toMatch(/^KIND: +Job\nVERSION: +batch\/v1\n\nFIELD: +completions <integer>\n/);
  expect(containers).toMatch(/\nRESOURCE: containers <\[\]Object>\n/);
  expect(containers).toMatch(/\n {3}name\t<string> -required-/);
});

check("every kind can be explained", async (prompt) => {
  const table = await prompt.prints("api-resources --no-headers");
  const rows = [...table.matchAll(/^(\S+) .*?(\S+) +(?:true|false) +\S+$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  const explain = ([, name, version]: RegExpExecArray) =>
    prompt.prints(`explain ${name} --api-version=${version}`);
  const texts = await Promise.all(rows.map(explain));
  for (const text of texts) expect(text).toMatch(/^(GROUP|KIND): /);
});

check("the server reports its version, address and health", async (prompt) => {
  const [version, json, info, ready] = await Promise.all([
    prompt.kubectl("version"),
    prompt.kubectl("version -o json"),
    prompt.prints("cluster-info"),
    prompt.prints("get --raw /readyz"),
  ]);
  expect(version.code).toBe(0);
  expect(version.stdout).toMatch(/\nServer Version: v1\.36\.\d+\n/);
  expect(JSON.parse(json.stdout).serverVersion).toMatchObject({ major: "1", minor: "36" });
  expect(info).toContain("Kubernetes control plane");
  expect(info).toContain(prompt.tally.url);
  expect(ready).toBe("ok");
});

check("the administrator may do everything and is known by name", async (prompt) => {
  const [create, list, path, whoami] = await Promise.all([
    prompt.prints("auth can-i create jobs"),
    prompt.prints("auth can-i --list"),
    prompt.prints("auth can-i get /metrics"),
    prompt.prints("auth whoami"),
  ]);
  expect(create).toBe("yes\n");
  expect(path).toBe("yes\n");
  expect(list).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
  expect(whoami).toMatch(/^Username +tally-admin$/m);
  expect(whoami).toMatch(/^Groups +\[system:masters system:authenticated\]$/m);
});

check("a request with an invalid token is rejected", async (prompt) => {
  const refused = await prompt.refuses("get jobs --token=wrong");
  expect(refused).toContain("Unauthorized");
});

check("commands for APIs that are not served fail with a clear message", async (prompt) => {
  expect(await prompt.refuses("top pod")).toContain("Metrics API");
  expect(await prompt.refuses("get replicationcontrollers.v9.none")).toContain(
    "replicationcontrollers",
  );
});
