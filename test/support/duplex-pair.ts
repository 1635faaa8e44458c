/** The two ends of a connection, without a network in between. */
import { Duplex } from "node:stream";

export function duplexPair(): readonly [Duplex, Duplex] {
  const one = new End();
  const other = new End();
  one.other = other;
  other.other = one;
  return [one, other];
}

class End extends Duplex {
  other: End | undefined;
  private onRead: (() => void) | undefined;

  override _read(): void {
    const { onRead } = this;
    this.onRead = undefined;
    onRead?.();
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    const { other } = this;
    if (!other || other.destroyed) {
      done();
      return;
    }
    other.onRead = done;
    other.push(bytes);
  }

  override _final(done: () => void): void {
    this.other?.push(null);
    done();
  }
}
