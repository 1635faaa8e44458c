/**
 * Bytes that clients have not read yet. Connections that send the same event share its bytes, which
 * count once per user and once for the server. If a user or the server exceeds the limit, the
 * connection that made no progress for the longest time is closed.
 */

export interface UnreadLimits {
  readonly bytesPerUser: number;
  /** For all users, because a user who may create accounts can act as many users. */
  readonly bytes: number;
}

const MIB = 1024 * 1024;
export const UNREAD_LIMITS: UnreadLimits = { bytesPerUser: 64 * MIB, bytes: 256 * MIB };

/** For answers other than watches: lists can be large, and two of them take long to read. */
export const UNREAD_ANSWER_LIMITS: UnreadLimits = { bytesPerUser: 128 * MIB, bytes: 512 * MIB };

/** A connection with bytes left to send. */
export interface Holder {
  readonly user: string;
  /** Closes the connection and releases everything it holds at once. */
  drop(): void;
}

interface Held {
  readonly bytes: number;
  /** How many times each user holds it. */
  readonly times: Map<string, number>;
}

/** Recent events are kept although no connection holds them, in case the next watch sends them. */
const MOST_RECENT = 8;
const RECENT_BYTES = MIB;

export class Unread {
  /** Called for each connection that is closed because of a limit. */
  onClosed: () => void = () => {};
  private sum = 0;
  private readonly held = new Map<object, Held>();
  private readonly ofUser = new Map<string, number>();
  /** How many things each connection holds; the one without progress for longest comes first. */
  private readonly holders = new Map<Holder, number>();
  private readonly byKey = new Map<string, Uint8Array>();
  private readonly keyOf = new Map<Uint8Array, string>();
  private readonly recent: Uint8Array[] = [];
  private recentBytes = 0;

  constructor(private readonly limits: UnreadLimits = UNREAD_LIMITS) {}

  get bytes(): number {
    return this.sum;
  }

  bytesOf(user: string): number {
    return this.ofUser.get(user) ?? 0;
  }

  /** The bytes of an event, encoded once while any connection holds them. */
  share(key: string, encode: () => Uint8Array): Uint8Array {
    const known = this.byKey.get(key);
    if (known) return known;
    const bytes = encode();
    this.byKey.set(key, bytes);
    this.keyOf.set(bytes, key);
    this.recent.push(bytes);
    this.recentBytes += bytes.length;
    this.trimRecent();
    return bytes;
  }

  /** Things are identified by reference: holding one twice takes no more memory. */
  hold(holder: Holder, thing: object, bytes: number): void {
    const { user } = holder;
    const held = this.held.get(thing) ?? { bytes, times: new Map<string, number>() };
    const times = held.times.get(user) ?? 0;
    if (held.times.size === 0) this.sum += held.bytes;
    if (times === 0) this.ofUser.set(user, this.bytesOf(user) + held.bytes);
    held.times.set(user, times + 1);
    this.held.set(thing, held);
    this.holders.set(holder, (this.holders.get(holder) ?? 0) + 1);
    this.enforce(holder);
  }

  release(holder: Holder, thing: object): void {
    const held = this.held.get(thing);
    if (!held) return;
    const { user } = holder;
    const times = (held.times.get(user) ?? 0) - 1;
    if (times > 0) held.times.set(user, times);
    else {
      held.times.delete(user);
      const left = this.bytesOf(user) - held.bytes;
      if (left > 0) this.ofUser.set(user, left);
      else this.ofUser.delete(user);
    }
    const count = (this.holders.get(holder) ?? 0) - 1;
    if (count > 0) this.holders.set(holder, count);
    else this.holders.delete(holder);
    if (held.times.size > 0) return;
    this.sum -= held.bytes;
    this.held.delete(thing);
    if (thing instanceof Uint8Array && !this.recent.includes(thing)) this.forget(thing);
  }

  /** The client has read something, so its connection becomes the last one to be closed. */
  progressed(holder: Holder): void {
    const count = this.holders.get(holder);
    if (count === undefined) return;
    this.holders.delete(holder);
    this.holders.set(holder, count);
  }

  /** The connection that just started to hold something is kept, because others waited longer. */
  private enforce(newest: Holder): void {
    const { user } = newest;
    const { bytes, bytesPerUser } = this.limits;
    while (this.bytesOf(user) > bytesPerUser && this.closeOne(newest, user));
    while (this.sum > bytes && this.closeOne(newest));
  }

  private closeOne(newest: Holder, user?: string): boolean {
    for (const holder of this.holders.keys()) {
      if (holder === newest || (user !== undefined && holder.user !== user)) continue;
      this.onClosed();
      holder.drop();
      return !this.holders.has(holder);
    }
    return false;
  }

  private trimRecent(): void {
    while (this.recent.length > MOST_RECENT || this.recentBytes > RECENT_BYTES) {
      if (this.recent.length === 1) return;
      const oldest = this.recent.shift();
      if (!oldest) return;
      this.recentBytes -= oldest.length;
      if (!this.held.has(oldest)) this.forget(oldest);
    }
  }

  private forget(bytes: Uint8Array): void {
    const key = this.keyOf.get(bytes);
    this.keyOf.delete(bytes);
    if (key !== undefined) this.byKey.delete(key);
  }
}
