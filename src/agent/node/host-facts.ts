/** Pure: what a node has to know of the machine it is on, and the names it goes by. */

export interface HostFacts {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly availableMemoryBytes: number;
  /** Of the file system that holds logs and data. */
  readonly storageBytes: number;
  readonly availableStorageBytes: number;
  /** In the words of Go: "linux", "amd64". */
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
}

const MAX_NAME_LENGTH = 63;

/** The host's name as a Kubernetes name, which is also the value of a label. */
export function nodeNameOf(hostName: string): string {
  const letters = hostName
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-");
  const parts = letters.slice(0, MAX_NAME_LENGTH).split(".");
  const named = parts.map((part) => part.replace(/^-+|-+$/g, "")).filter((part) => part !== "");
  return named.length === 0 ? "localhost" : named.join(".");
}

const ARCHITECTURES: { readonly [node: string]: string } = {
  x64: "amd64",
  ia32: "386",
  ppc64: "ppc64le",
};

/** Go's word for what Node calls "x64". */
export function architectureOf(nodeArchitecture: string): string {
  return ARCHITECTURES[nodeArchitecture] ?? nodeArchitecture;
}

const SYSTEMS: { readonly [node: string]: string } = { win32: "windows", sunos: "solaris" };

/** Go's word for what Node calls "win32". */
export function operatingSystemOf(nodePlatform: string): string {
  return SYSTEMS[nodePlatform] ?? nodePlatform;
}

/** The pretty name in the text of /etc/os-release. */
export function osImageOf(osRelease: string): string | undefined {
  return /^PRETTY_NAME=(["']?)(.*)\1$/m.exec(osRelease)?.[2];
}
