/**
 * The file that the commands of one probe print to. Its first 10 KiB are kept for the answer, as in
 * the kubelet; the file is emptied whenever it has become much longer, so that a command that
 * prints without end fills no disk. It is neither stopped nor held up by that.
 *
 * A command may leave processes behind that print as long as their container runs. That is why the
 * file stays as long, for all commands of the probe, and is watched between them.
 */
import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import path from "node:path";
import type { Clock, Timer } from "../../base/clock.ts";

/** What is kept. */
export const LONGEST_OUTPUT_BYTES = 10 * 1024;
/** What the file may take of the disk when it is looked at. */
const MOST_BYTES_ON_DISK = 64 * 1024;
const BYTES_PER_BLOCK = 512;
const LOOK_EVERY_MS = 100;
/** Looks that find nothing new, after which the file is watched instead. */
const QUIET_LOOKS = 5;

export class ProbeOutput {
  private opened: Promise<FileHandle> | undefined;
  private timer: Timer | undefined;
  private watcher: FSWatcher | undefined;
  /** Of the output of the command, once the file was emptied. */
  private beginning: string | undefined;
  private isAsked = false;
  private isClosed = false;
  private quietLooks = 0;
  private size = 0;

  constructor(
    readonly file: string,
    private readonly clock: Clock,
  ) {}

  /** A command is about to print. */
  async begin(): Promise<void> {
    this.unwatch();
    this.isAsked = true;
    this.beginning = undefined;
    await (await this.handle()).truncate(0);
    this.attend();
  }

  /** The command is over. Answers with the beginning of what it has printed. */
  async end(): Promise<string> {
    this.isAsked = false;
    const printed = this.beginning ?? (await this.readBeginning());
    await this.look();
    return printed;
  }

  /** Its container is over, or somebody else is going to look after it. */
  async close({ removes }: { readonly removes: boolean }): Promise<void> {
    this.isClosed = true;
    this.timer?.cancel();
    this.unwatch();
    await this.opened?.then((handle) => handle.close());
    if (removes) await rm(this.file, { force: true });
  }

  /** The same file again if there is one: what was left behind may still print to it. */
  private handle(): Promise<FileHandle> {
    if (!this.opened) {
      mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
      this.opened = open(this.file, "w+", 0o600);
    }
    return this.opened;
  }

  private attend(): void {
    this.unwatch();
    this.quietLooks = 0;
    this.schedule();
  }

  private schedule(): void {
    if (this.isClosed) return;
    this.timer?.cancel();
    this.timer = this.clock.schedule(LOOK_EVERY_MS, () => void this.look());
  }

  private async look(): Promise<void> {
    this.timer?.cancel();
    if (this.isClosed) return;
    try {
      const handle = await this.handle();
      const { blocks, size } = await handle.stat();
      this.quietLooks = size === this.size ? this.quietLooks + 1 : 0;
      this.size = size;
      if (blocks * BYTES_PER_BLOCK > MOST_BYTES_ON_DISK) {
        this.beginning ??= await this.readBeginning();
        await handle.truncate(0);
        this.size = 0;
        this.quietLooks = 0;
      }
    } catch {
      // It was closed meanwhile, or the disk fails: then there is nothing to be cut.
    }
    const isNoisy = this.quietLooks < QUIET_LOOKS && this.size > LONGEST_OUTPUT_BYTES;
    if (this.isAsked || isNoisy || !this.watch()) this.schedule();
  }

  private async readBeginning(): Promise<string> {
    const { buffer, bytesRead } = await (await this.handle()).read(
      Buffer.alloc(LONGEST_OUTPUT_BYTES),
      { position: 0 },
    );
    return buffer.toString("utf8", 0, bytesRead);
  }

  /** Whether the system will tell of the next byte, so that nobody needs to look. */
  private watch(): boolean {
    if (this.isClosed || this.watcher) return true;
    try {
      const wake = () => this.attend();
      this.watcher = watch(this.file, { persistent: false }, wake).on("error", wake);
      return true;
    } catch {
      return false;
    }
  }

  private unwatch(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }
}
