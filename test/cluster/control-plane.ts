/**
 * etcd and kube-apiserver on free ports of 127.0.0.1, and any other part of a control plane that a
 * test needs. The recordings came from the same setup: etcd without fsync, no ServiceAccount
 * admission.
 */

import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { issueAuthority, issueClient } from "../../src/access/x509.ts";
import { type Answer, call } from "../support/call-server.ts";
import { type Component, freePort, startComponent } from "./component.ts";
import type { Binaries } from "./find-binaries.ts";

export interface ControlPlane {
  readonly url: string;
  /** The token of an administrator. */
  readonly token: string;
  /** The certificate authority of the server, in PEM. */
  readonly ca: string;
  readonly kubeconfig: string;
  /** A directory for files of tests. */
  readonly directory: string;
  readonly etcd: Component & { readonly url: string };
  readonly apiServer: Component;
  call(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>;
  /** Writes a kubeconfig with another address or token than the administrator's. */
  kubeconfigFor(options: { readonly url?: string; readonly token?: string }): Promise<string>;
  dispose(): Promise<void>;
}

export interface ControlPlaneOptions {
  readonly apiServerArgs?: readonly string[];
}

const TOKEN = "administrator-of-the-test";

export async function startControlPlane(
  binaries: Binaries,
  { apiServerArgs = [] }: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const directory = await mkdtemp(path.join(tmpdir(), "tally-cluster-"));
  const started: Component[] = [];
  const dispose = async (): Promise<void> => {
    for (const component of started.reverse()) await component.stop("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const etcd = await startEtcd(binaries.etcd, directory);
    started.push(etcd);
    const port = await freePort();
    const url = `https://127.0.0.1:${port}`;
    const ask = (method: string, where: string, body?: unknown, headers?: object) =>
      call({ url, token: TOKEN }, method, where, body, headers);
    const apiServer = await startComponent({
      program: binaries.apiServer,
      args: [
        ...(await apiServerFlags(directory, etcd.url, port)),
        ...(await nodeFlags(directory)),
        ...apiServerArgs,
      ],
      probe: async () => {
        const { status, text } = await ask("GET", "/readyz");
        if (status !== 200) throw new Error(text);
      },
    });
    started.push(apiServer);
    const ca = await readFile(path.join(directory, "certificates/apiserver.crt"), "utf8");
    let count = 0;
    const kubeconfigFor = async (other: { url?: string; token?: string }): Promise<string> => {
      const file = path.join(directory, `kubeconfig-${count++}`);
      await writeFile(file, kubeconfigText({ url, token: TOKEN, ca, ...other }), { mode: 0o600 });
      return file;
    };
    const kubeconfig = await kubeconfigFor({});
    const own = { url, token: TOKEN, ca, kubeconfig, directory, etcd, apiServer };
    return { ...own, call: ask, kubeconfigFor, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function startEtcd(program: string, directory: string): Promise<ControlPlane["etcd"]> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const component = await startComponent({
    program,
    args: [
      `--data-dir=${path.join(directory, "etcd")}`,
      "--unsafe-no-fsync",
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      "--quota-backend-bytes=4294967296",
    ],
    probe: async () => {
      const answer = await fetch(`${url}/health`);
      if (!answer.ok) throw new Error(await answer.text());
    },
  });
  return Object.assign(component, { url });
}

async function apiServerFlags(directory: string, etcd: string, port: number): Promise<string[]> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = path.join(directory, "accounts.key");
  const tokens = path.join(directory, "tokens.csv");
  await writeFile(key, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  await writeFile(tokens, `${TOKEN},admin,admin,"system:masters"\n`, { mode: 0o600 });
  return [
    `--etcd-servers=${etcd}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${path.join(directory, "certificates")}`,
    `--token-auth-file=${tokens}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--disable-admission-plugins=ServiceAccount",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
  ];
}

/** Flags with which nodes recognize the API server when it requests logs. */
async function nodeFlags(directory: string): Promise<string[]> {
  const validity = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) };
  const commonName = "nodes";
  const authority = issueAuthority(commonName, validity);
  const asked = { commonName: "kube-apiserver-kubelet-client", organizations: [], validity };
  const client = issueClient({ commonName, key: authority.key }, asked);
  const file = (name: string) => path.join(directory, name);
  await writeFile(file(NODE_CLIENTS), authority.cert);
  await writeFile(file("nodes.crt"), client.cert);
  await writeFile(file("nodes.key"), client.key, { mode: 0o600 });
  return [
    `--kubelet-client-certificate=${file("nodes.crt")}`,
    `--kubelet-client-key=${file("nodes.key")}`,
    "--kubelet-preferred-address-types=InternalIP",
  ];
}

/** The file with the client authority, which a node is given. */
export const NODE_CLIENTS = "node-clients.crt";
const DAY_MS = 24 * 3_600_000;

interface KubeconfigFacts {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

function kubeconfigText({ url, token, ca }: KubeconfigFacts): string {
  const authority = Buffer.from(ca, "utf8").toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": authority } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
