/** kube-controller-manager and kube-scheduler, against a real API server or against ours. */
import { call } from "../support/call-server.ts";
import { type Component, freePort, startComponent } from "./component.ts";
import type { Binaries } from "./find-binaries.ts";

export interface KubeComponent extends Component {
  /** Its metrics, in the text format of Prometheus. */
  metrics(): Promise<string>;
}

/** Runs all controllers unless the flags say otherwise. */
export function startControllerManager(
  binaries: Binaries,
  kubeconfig: string,
  args: readonly string[] = [],
): Promise<KubeComponent> {
  return startKube(binaries.controllerManager, kubeconfig, args);
}

export function startScheduler(
  binaries: Binaries,
  kubeconfig: string,
  args: readonly string[] = [],
): Promise<KubeComponent> {
  return startKube(binaries.scheduler, kubeconfig, args);
}

async function startKube(
  program: string,
  kubeconfig: string,
  args: readonly string[],
): Promise<KubeComponent> {
  const port = await freePort();
  const server = { url: `https://127.0.0.1:${port}`, token: "" };
  const component = await startComponent({
    program,
    args: [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      // The metrics are readable without credentials for anyone who can reach 127.0.0.1.
      "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics",
      ...args,
    ],
    probe: async () => {
      const { status, text } = await call(server, "GET", "/healthz");
      if (status !== 200) throw new Error(text);
    },
  });
  const metrics = async () => (await call(server, "GET", "/metrics")).text;
  return Object.assign(component, { metrics });
}
