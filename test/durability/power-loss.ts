/**
 * Cuts the power of a recorded life of the store at every write, in every way in which a disk can
 * lose data, and opens the result: everything reported durable must be there, the transaction in
 * progress completely or not at all, and no revision may be given out twice.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { type FileImage, type Moment, momentsOf, scattered, tornAt } from "./disk-images.ts";
import { traceDisk } from "./disk-trace.ts";

export interface PowerLossOptions {
  readonly child: string;
  readonly transactions: number;
  /** How many random subsets of the pending sectors are tried at each moment. */
  readonly scatterings: number;
  /**
   * Writes are torn at every multiple of tearEvery bytes; those of the last transaction at every
   * multiple of tearLastEvery.
   */
  readonly tearEvery: number;
  readonly tearLastEvery: number;
  readonly seed: number;
  /** Simulates a disk that does not sync, to check that this is detected. */
  readonly isLying?: boolean;
}

export interface PowerLossReport {
  readonly transactions: number;
  readonly moments: number;
  readonly images: number;
  readonly imagesOfLast: number;
  readonly problems: readonly string[];
}

export async function losePower(options: PowerLossOptions): Promise<PowerLossReport> {
  const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const directory = await mkdtemp(join(memory, "tally-power-"));
  const recoverer = startRecoverer(options.child);
  try {
    const life = ["write", join(directory, "data"), String(options.transactions)];
    const command = [process.execPath, options.child, ...life];
    const steps = await traceDisk(command, join(directory, "strace.log"));
    const kept = steps.filter(({ kind }) => !options.isLying || kind !== "sync");
    const moments = [...momentsOf(kept)];
    const last = moments.at(-1)?.transaction ?? 0;
    const random = seededRandom(options.seed);
    const problems: string[] = [];
    let images = 0;
    let imagesOfLast = 0;
    for (const [index, moment] of moments.entries()) {
      const isLast = moment.transaction === last;
      const step = isLast ? options.tearLastEvery : options.tearEvery;
      for (const image of imagesOf(moment, { ...options, step, random })) {
        const dataDir = join(directory, "image");
        await layOut(dataDir, image);
        const problem = judge(moment, await recoverer.recover(dataDir));
        await rm(dataDir, { recursive: true, force: true });
        if (problem) problems.push(`write ${index}, ${image.what}: ${problem}`);
        images++;
        if (isLast) imagesOfLast++;
      }
    }
    return { transactions: last + 1, moments: moments.length, images, imagesOfLast, problems };
  } finally {
    recoverer.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Image {
  readonly what: string;
  readonly file: FileImage;
  readonly folder: "store" | "store.new";
}

function* imagesOf(
  moment: Moment,
  how: { readonly step: number; readonly scatterings: number; readonly random: Random },
): Generator<Image> {
  const folders = { old: ["store.new"], either: ["store.new", "store"], new: ["store"] } as const;
  for (const folder of folders[moment.name]) {
    const size = moment.pending.at(-1)?.bytes.length ?? 0;
    // The zeros that extend the file are long and all the same.
    const step = size > LARGE ? size / 2 : how.step;
    for (let length = 0; length <= size; length += Math.min(step, Math.max(1, size - length))) {
      yield { what: `torn at ${length}`, file: tornAt(moment, length), folder };
    }
    for (let count = 0; count < how.scatterings; count++) {
      const odds = 2 + how.random.below(4);
      const file = scattered(moment, () => how.random.below(odds) === 0);
      yield { what: `scattered, one of ${odds}`, file, folder };
    }
  }
}

const LARGE = 128 * 1024;

async function layOut(dataDir: string, { file, folder }: Image): Promise<void> {
  const path = join(dataDir, folder, "data.mdb");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, asOfAnotherBoot(file.content));
  await truncate(path, file.length);
}

/** After a power cut the machine has booted again. lmdb stores the boot ID with its commits. */
function asOfAnotherBoot(content: Buffer): Buffer {
  const changed = Buffer.from(content);
  for (const at of BOOT_NAMES) {
    const byte = changed[at];
    if (byte !== undefined && byte !== 0) changed[at] = byte ^ 0xff || 1;
  }
  return changed;
}

const BOOT_NAMES = [160, 4096 + 160];

function judge({ states }: Moment, answer: string): string | undefined {
  const [what, revision, digest] = answer.split(" ");
  if (what !== "found") return answer;
  const highest = states.at(-1)?.revision ?? 0;
  if (Number(revision) < highest) return `goes on at ${revision}, below ${highest}`;
  if (states.some((state) => state.digest === digest)) return undefined;
  return `found a state that is none of ${states.map((state) => state.revision)}`;
}

/** In its own process, because a broken file can make lmdb crash. */
function startRecoverer(child: string) {
  const started = spawn(process.execPath, [child, "recover"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  return {
    recover: async (dataDir: string): Promise<string> => {
      started.stdin.write(`${dataDir}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the process ended over ${dataDir}`);
      return value;
    },
    stop: () => started.kill("SIGKILL"),
  };
}
