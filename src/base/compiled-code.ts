/**
 * A cache of V8's compiled code, in one file beside the code. Compiling the program takes longer
 * than everything else that a short command does. The file name contains everything that V8's
 * result depends on, and the version of the bundle, because V8 itself compares only the length of a
 * source. The file grows as more code is loaded.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

export interface Bundle {
  readonly directory: string;
  /** Different for every bundle with different sources. */
  readonly version: string;
}

export function reuseCompiledCode(bundle: Bundle): void {
  const code = new CompiledCode(bundle);
  const prototype = Module.prototype as unknown as CompilingModule;
  const compile = prototype._compile;
  prototype._compile = function (this: CompilingModule, content, filename) {
    if (!code.takes(content, filename)) return compile.call(this, content, filename);
    const evaluate: Evaluate = code.compile(content, filename).runInThisContext();
    const require = createRequire(filename);
    const { exports } = this;
    return evaluate.call(exports, exports, require, this, filename, path.dirname(filename));
  };
  process.once("exit", () => code.keep());
}

/** The internal Node function that creates a module from the text of a file. */
interface CompilingModule {
  readonly exports: unknown;
  _compile(content: string, filename: string): unknown;
}

/** The function that `Module.wrap` creates. */
type Evaluate = (
  exports: unknown,
  require: unknown,
  module: unknown,
  filename: string,
  directory: string,
) => unknown;

export class CompiledCode {
  private readonly directory: string;
  private readonly file: string;
  private readonly kept: Kept | undefined;
  private readonly scripts = new Map<string, Script>();
  private hasNews = false;

  constructor({ directory, version }: Bundle) {
    this.directory = directory;
    const tag = cachedDataVersionTag().toString(16);
    this.file = path.join(directory, `compiled-${tag}-${version}`);
    this.kept = openKept(this.file);
  }

  /** Cached code cannot use import(). The bundle never does; a package may. */
  takes(content: string, filename: string): boolean {
    return this.isOfBundle(filename) || !/\bimport\s*\(/.test(content);
  }

  compile(content: string, filename: string): Script {
    const name = this.identify(content, filename);
    const cachedData = this.kept && readPart(this.kept, name);
    const script = new Script(Module.wrap(content), {
      filename,
      ...(cachedData ? { cachedData } : {}),
    });
    if (!cachedData || script.cachedDataRejected) this.hasNews = true;
    this.scripts.set(name, script);
    return script;
  }

  /**
   * Writes the cache, including code loaded since. Called at exit, when more functions are
   * compiled.
   */
  keep(): void {
    if (this.hasNews) writeParts(this.file, this.parts());
    this.hasNews = false;
  }

  private identify(content: string, filename: string): string {
    const name = `${path.relative(this.directory, filename)} ${content.length}`;
    return this.isOfBundle(filename) ? name : `${name} ${crc32(content)}`;
  }

  private isOfBundle(filename: string): boolean {
    return filename.startsWith(this.directory + path.sep);
  }

  /**
   * V8 discards functions that were not called for a while, so the longer of two results is kept.
   */
  private parts(): Map<string, Buffer> {
    const parts = new Map<string, Buffer>();
    for (const [name, script] of this.scripts) parts.set(name, script.createCachedData());
    // Read the file again: other processes may have written it in the meantime.
    const kept = openKept(this.file);
    for (const name of kept?.places.keys() ?? []) {
      const before = kept && readPart(kept, name);
      const isRejected = this.scripts.get(name)?.cachedDataRejected === true;
      if (!before || isRejected) continue;
      if (before.length > (parts.get(name)?.length ?? 0)) parts.set(name, before);
    }
    if (kept) closeSync(kept.opened);
    return parts;
  }
}

/** The file: the length of the names, the names with the lengths of their parts, then the parts. */
interface Kept {
  readonly opened: number;
  readonly places: ReadonlyMap<string, Place>;
}

type Place = readonly [at: number, length: number];

const HEAD_BYTES = 4;

function openKept(file: string): Kept | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(file, "r");
    const length = readBytes(opened, 0, HEAD_BYTES).readUInt32LE(0);
    const names: readonly [string, number][] = JSON.parse(
      readBytes(opened, HEAD_BYTES, length).toString(),
    );
    return { opened, places: placesOf(names, HEAD_BYTES + length) };
  } catch {
    // The file is missing or unreadable: everything is compiled.
    if (opened !== undefined) closeSync(opened);
    return undefined;
  }
}

function placesOf(names: readonly [string, number][], from: number): Map<string, Place> {
  const places = new Map<string, Place>();
  let at = from;
  for (const [name, length] of names) {
    places.set(name, [at, length]);
    at += length;
  }
  return places;
}

function readPart({ opened, places }: Kept, name: string): Buffer | undefined {
  const place = places.get(name);
  try {
    return place && readBytes(opened, ...place);
  } catch {
    return undefined;
  }
}

function readBytes(opened: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (readSync(opened, bytes, 0, length, at) < length) throw new Error("the file is too short");
  return bytes;
}

/** Written to a temporary file and renamed, because V8 trusts the data it is given. */
function writeParts(file: string, parts: ReadonlyMap<string, Buffer>): void {
  const fresh = `${file}-${process.pid}`;
  try {
    const opened = openSync(fresh, "w", 0o644);
    try {
      writeFileSync(opened, Buffer.concat([headOf(parts), ...parts.values()]));
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    renameSync(fresh, file);
  } catch {
    // The directory is not writable, or the disk is full: later processes compile again.
    rmSync(fresh, { force: true });
  }
}

function headOf(parts: ReadonlyMap<string, Buffer>): Buffer {
  const names = Buffer.from(JSON.stringify([...parts].map(([name, { length }]) => [name, length])));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(names.length, 0);
  return Buffer.concat([head, names]);
}
