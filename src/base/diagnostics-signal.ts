/** Writes the diagnostics of this process to its log whenever it receives SIGUSR2. */
import type { Diagnostics } from "./diagnostics.ts";
import type { Log } from "./log.ts";

export const DIAGNOSTICS_SIGNAL = "SIGUSR2";

/** The message of the last record of a dump. */
export const DIAGNOSTICS_COMPLETE = "diagnostics complete";

/**
 * One record per entry. They are logged as warnings so that the usual log levels include them,
 * because an operator asked for them.
 */
export function logOnSignal(diagnostics: Diagnostics, log: Log): SignalListener {
  const dump = () => {
    let records = 0;
    for (const { name, total, entries } of diagnostics.read()) {
      for (const entry of entries) log.warn("diagnostics", { section: name, total, ...entry });
      records += entries.length;
    }
    log.warn(DIAGNOSTICS_COMPLETE, { records });
  };
  process.on(DIAGNOSTICS_SIGNAL, dump);
  return { close: async () => void process.off(DIAGNOSTICS_SIGNAL, dump) };
}

export interface SignalListener {
  close(): Promise<void>;
}
