/** kubectl exec, attach, cp and port-forward, unmodified, over WebSockets and over SPDY. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "vitest";
import { kubectlTests, type Prompt } from "./prompt.ts";

const check = kubectlTests([]);

/** These variables make kubectl use SPDY instead of WebSockets. */
const SPDY = {
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false",
  KUBECTL_PORT_FORWARD_WEBSOCKETS: "false",
};
const WEBSOCKETS = { KUBECTL_PORT_FORWARD_WEBSOCKETS: "true" };
const WAYS = [
  ["WebSockets", WEBSOCKETS],
  ["SPDY", SPDY],
] as const;

async function givenPod(
  prompt: Prompt,
  name: string,
  container: object = {},
  spec: object = {},
): Promise<void> {
  await prompt.given("/api/v1/namespaces/NS/pods", {
    metadata: { name },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "c", image: "i", command: ["sleep", "1000"], ...container }],
      ...spec,
    },
  });
  await prompt.prints(`wait --for=condition=Ready pod/${name} --timeout=150s`);
}

for (const [way, env] of WAYS) {
  check(`exec over ${way} has separate streams and returns the exit code`, async (prompt) => {
    await givenPod(prompt, "p", { env: [{ name: "GREETING", value: "hello" }] });
    const script = 'read x; echo "$GREETING $x"; echo wrong >&2; exit 3';
    const command = ["exec", "-i", "p", "--", "sh", "-c", script];
    const outcome = await prompt.kubectl(command, { stdin: "there\n", env });
    expect(outcome).toEqual({
      code: 3,
      stdout: "hello there\n",
      stderr: "wrong\ncommand terminated with exit code 3\n",
    });
    expect(await prompt.prints(["exec", "p", "--", "true"], { env })).toBe("");
  });

  check(`exec over ${way} transfers megabytes in both directions`, async (prompt) => {
    await givenPod(prompt, "p");
    const text = "0123456789abcdef".repeat(200_000);
    const echoed = await prompt.prints(["exec", "-i", "p", "--", "cat"], { stdin: text, env });
    expect({ length: echoed.length, isSame: echoed === text }).toEqual({
      length: text.length,
      isSame: true,
    });
  });

  check(`a port is forwarded over ${way}, for many connections at once`, async (prompt) => {
    await givenPod(prompt, "p");
    const body = "x".repeat(300_000);
    const server = createServer((request, response) => {
      response.end(`${request.url} ${body}`);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const forwarder = prompt.start(`port-forward pod/p :${port}`, { env });
    const from = await forwardedPort(forwarder);
    const paths = Array.from({ length: 12 }, (_, index) => `/${index}`);
    const answers = await Promise.all(
      paths.map(async (each) => (await fetch(`http://127.0.0.1:${from}${each}`)).text()),
    );
    expect(answers).toEqual(paths.map((each) => `${each} ${body}`));
    forwarder.process.kill("SIGINT");
    await forwarder.ended;
    server.close();
  });
}

async function forwardedPort(forwarder: ReturnType<Prompt["start"]>): Promise<number> {
  const line = /Forwarding from 127\.0\.0\.1:(\d+) ->/;
  await forwarder.until(line);
  return Number(line.exec(forwarder.said())?.[1]);
}

/** A sandbox without its own network listens on the host, where the forwarder connects first. */
check("a port that a sandbox opens only on its loopback can be forwarded", async (prompt) => {
  const serve =
    'require("node:http").createServer((request, response) => response.end("inside"))' +
    '.listen(38080, "127.0.0.1")';
  const look = 'require("node:net").connect(38080, "127.0.0.1").once("connect", process.exit)';
  const exec = { command: [process.execPath, "-e", look] };
  const readinessProbe = { exec, periodSeconds: 1, timeoutSeconds: 60 };
  const command = [process.execPath, "-e", serve];
  await givenPod(prompt, "p", { command, readinessProbe }, { runtimeClassName: "sandbox" });
  const forwarder = prompt.start("port-forward pod/p :38080");
  const from = await forwardedPort(forwarder);
  const ask = async () => (await fetch(`http://127.0.0.1:${from}/`)).text();
  expect(await ask()).toBe("inside");
  expect(await Promise.all([ask(), ask()])).toEqual(["inside", "inside"]);
  forwarder.process.kill("SIGINT");
  await forwarder.ended;
});

check("a port without a listener is reported with kubelet's message", async (prompt) => {
  await givenPod(prompt, "p");
  const forwarder = prompt.start("port-forward pod/p :1");
  const from = await forwardedPort(forwarder);
  await fetch(`http://127.0.0.1:${from}/`).catch(() => {});
  const { code, stderr } = await forwarder.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /error forwarding port 1 to pod p_ns-\d+, uid [0-9a-f-]+: failed to connect/,
  );
  expect(stderr).toContain("connect: connection refused");
});

check("a command that cannot be executed is reported as container runtimes do", async (prompt) => {
  await givenPod(prompt, "p");
  expect(await prompt.refuses(["exec", "p", "--", "no-such-command"])).toContain(
    "Internal error occurred: error executing command in container: failed to exec in " +
      'container: exec: "no-such-command": executable file not found in $PATH',
  );
  expect(await prompt.refuses(["exec", "p", "-c", "other", "--", "true"])).toMatch(/other.*p/);
});

check("cp copies a tree into a pod and back", async (prompt) => {
  await givenPod(prompt, "p");
  const [from, there, back] = ["from", "there", "back"].map((name) =>
    path.join(prompt.home, prompt.namespace, name),
  ) as [string, string, string];
  mkdirSync(path.join(from, "sub"), { recursive: true });
  writeFileSync(path.join(from, "text"), "some\n");
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 251));
  writeFileSync(path.join(from, "sub", "bytes"), bytes);
  await prompt.prints(["cp", from, `p:${there}`]);
  expect(readFileSync(path.join(there, "sub", "bytes")).equals(bytes)).toBe(true);
  await prompt.kubectl(["cp", `p:${there}`, back]);
  expect(readFileSync(path.join(back, "text"), "utf8")).toBe("some\n");
  expect(readFileSync(path.join(back, "sub", "bytes")).equals(bytes)).toBe(true);
});

check("attach prints the further output of a container, until it ends", async (prompt) => {
  const go = path.join(prompt.home, `${prompt.namespace}-go`);
  const ticks = `until [ -e ${go} ]; do echo tick; sleep 0.1; done`;
  const script = `${ticks}; echo now; sleep 0.3; echo over`;
  await givenPod(prompt, "p", { command: ["sh", "-c", script] });
  const attached = prompt.start("attach p");
  await attached.until(/tick/);
  writeFileSync(go, "");
  const { code, stdout } = await attached.ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/^(tick\n)+now\nover\n$/);
});

check("a container reads all input that is piped into run -i", async (prompt) => {
  const script = 'while read line; do echo "heard $line"; done; echo through';
  const { code, stdout } = await prompt.kubectl(
    [
      "run",
      "r",
      "-i",
      "--rm",
      "--image=i",
      "--restart=Never",
      "--command",
      "--",
      "sh",
      "-c",
      script,
    ],
    { stdin: "one\ntwo\n" },
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^heard one\nheard two\nthrough\n/);
});

check("debug adds a container to a running pod, and prints its output", async (prompt) => {
  await givenPod(prompt, "p");
  const target = ["debug", "p", "-i", "--image=i", "--container=look", "--profile=general"];
  const script = 'read line; echo "seen $line"';
  const command = [...target, "--", "sh", "-c", script];
  const { code, stdout } = await prompt.kubectl(command, { stdin: "it\n" });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("seen it\n") });
  const state = "{.status.ephemeralContainerStatuses[0].state.terminated.exitCode}";
  await prompt.prints(`wait pod/p --for=jsonpath=${state}=0 --timeout=150s`);
  expect(await prompt.prints("get pod p -o jsonpath={.status.phase}")).toBe("Running");
});
