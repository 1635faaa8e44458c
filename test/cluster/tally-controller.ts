/** "tally controller" as an operator starts it. */

import { projectFile } from "../support/project-file.ts";
import { testimonyOf } from "../support/testimony.ts";
import { addWitness } from "../support/waits.ts";
import { type Component, startComponent } from "./component.ts";

export interface TallyController extends Component {
  metrics(): Promise<string>;
}

export async function startTallyController(
  kubeconfig: string,
  args: readonly string[] = [],
): Promise<TallyController> {
  const own = ["--kubeconfig", kubeconfig, "--health-port", "0"];
  let health = "";
  const component = await startComponent({
    program: process.execPath,
    args: [projectFile("dist/main.js"), "controller", ...own, ...args],
    probe: async (log) => {
      health = /health at (\S+)/g.exec(log.slice(log.lastIndexOf("Tally manages")))?.[1] ?? "";
      const { ok, status } = await fetch(`${health}/healthz`);
      if (!ok) throw new Error(`healthz answers ${status}`);
    },
  });
  const metrics = async () => (await fetch(`${health}/metrics`)).text();
  const log = () => component.log();
  // `component.process` is read when needed: the process may have been restarted.
  const describe = () => testimonyOf({ process: component.process, log });
  const forget = addWitness({ name: "tally controller", describe });
  const stop = component.stop.bind(component);
  component.stop = async (signal) => {
    await stop(signal);
    forget();
  };
  return Object.assign(component, { metrics });
}

/** The spec.managedBy of the Jobs that it manages. */
export const MANAGED_BY = "tallyjob.io/job-controller";
