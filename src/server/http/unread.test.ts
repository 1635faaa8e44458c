import { expect, test } from "vitest";
import { type Holder, Unread } from "./unread.ts";

const LIMITS = { bytesPerUser: 100, bytes: 250 };

class TestHolder implements Holder {
  isOpen = true;
  readonly #things: object[] = [];

  constructor(
    private readonly unread: Unread,
    readonly user: string,
  ) {}

  hold(thing: object, bytes: number): this {
    this.#things.push(thing);
    this.unread.hold(this, thing, bytes);
    return this;
  }
  drop(): void {
    this.isOpen = false;
    for (const thing of this.#things.splice(0)) this.unread.release(this, thing);
  }
}

function holding(unread: Unread, user: string, bytes: number, thing: object = {}): TestHolder {
  return new TestHolder(unread, user).hold(thing, bytes);
}

test("shared bytes count once per user and once in total", () => {
  const unread = new Unread(LIMITS);
  const event = new Uint8Array(60);
  const holders = ["alice", "alice", "bob"].map((user) => holding(unread, user, 60, event));
  expect([unread.bytesOf("alice"), unread.bytesOf("bob"), unread.bytes]).toEqual([60, 60, 60]);
  for (const holder of holders) holder.drop();
  expect([unread.bytesOf("alice"), unread.bytesOf("bob"), unread.bytes]).toEqual([0, 0, 0]);
});

test("a user over the limit loses the connection that made no progress for longest", () => {
  const unread = new Unread(LIMITS);
  let closed = 0;
  unread.onClosed = () => closed++;
  const bob = holding(unread, "bob", 50);
  const [first, second] = [holding(unread, "alice", 40), holding(unread, "alice", 40)];
  unread.progressed(first);
  const third = holding(unread, "alice", 40);
  const open = [bob, first, second, third].map(({ isOpen }) => isOpen);
  expect(open).toEqual([true, true, false, true]);
  expect([closed, unread.bytesOf("alice")]).toEqual([1, 80]);
});

test("the sum of all users is limited too", () => {
  const unread = new Unread(LIMITS);
  const holders = ["a", "b", "c"].map((user) => holding(unread, user, 90));
  expect(holders.map(({ isOpen }) => isOpen)).toEqual([false, true, true]);
  expect(unread.bytes).toBe(180);
});

test("a single connection may hold more than the limit", () => {
  const unread = new Unread(LIMITS);
  expect(holding(unread, "alice", 1000).isOpen).toBe(true);
});

test("an event is encoded once while a connection holds it", () => {
  const unread = new Unread();
  let encoded = 0;
  const share = (key: string) =>
    unread.share(key, () => {
      encoded++;
      return new Uint8Array(2 * 1024 * 1024);
    });
  const event = share("a");
  const holder = new TestHolder(unread, "alice").hold(event, event.length);
  share("b");
  expect(share("a")).toBe(event);
  expect(encoded).toBe(2);
  holder.drop();
  share("a");
  expect(encoded).toBe(3);
});

test("small events are kept for a moment although no connection holds them", () => {
  const unread = new Unread();
  const share = (key: string) => unread.share(key, () => new Uint8Array(10));
  const event = share("0");
  for (let key = 1; key < 8; key++) share(String(key));
  expect(share("0")).toBe(event);
  share("8");
  expect(share("0")).not.toBe(event);
});
