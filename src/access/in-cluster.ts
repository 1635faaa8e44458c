/** The credentials that Kubernetes gives to a process in a pod. */
import { join } from "node:path";
import { readIfPresent } from "./private-file.ts";
import type { ClientAccess } from "./read-kubeconfig.ts";
import { tokenFile } from "./token-file.ts";

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Undefined outside a pod. */
export async function inClusterAccess(
  environment: { readonly [name: string]: string | undefined },
  directory = ACCOUNT,
): Promise<ClientAccess | undefined> {
  const host = environment["KUBERNETES_SERVICE_HOST"];
  const port = environment["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) return undefined;
  const file = join(directory, "token");
  const [token, ca, namespace = ""] = await Promise.all(
    [file, join(directory, "ca.crt"), join(directory, "namespace")].map(readIfPresent),
  );
  if (token === undefined) return undefined;
  return {
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    skipsVerification: false,
    ...(ca === undefined ? {} : { ca }),
    credentials: tokenFile(file),
  };
}
