/**
 * A server whose disk fills up under several writers. It is killed while the disk is full, starts
 * again while it is full, and continues once there is room: first by deletions, then because the
 * rest of the disk is freed.
 */
import { join } from "node:path";
import type { Answer } from "../support/call-server.ts";
import { watchLines } from "../support/watch-lines.ts";
import type { Life, Mortal } from "./crash-life.ts";
import type { SmallDisk } from "./small-disk.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const WRITERS = 4;
const VALUE = "x".repeat(40_000);

export interface FullDiskReport {
  readonly acknowledged: number;
  readonly refusal: Answer | undefined;
  /** Differences from what was acknowledged, each with the step after which it was found. */
  readonly problems: readonly string[];
}

export async function fillDisk(mortal: Mortal, disk: SmallDisk): Promise<FullDiskReport> {
  const world = new World();
  const dataDir = join(disk.path, "data");
  let life = await mortal.start(dataDir);
  try {
    const first = await life.call("GET", CONFIG_MAPS);
    for (const item of first.json.items) world.names.add(item.metadata.name);
    const from = first.json.metadata.resourceVersion;
    const watch = await watchLines(life, `${CONFIG_MAPS}?watch=1&resourceVersion=${from}`);
    const writers = Array.from({ length: WRITERS }, (_, own) => world.writeUntilRefused(life, own));
    const refusals = await Promise.all(writers);
    const { size } = world.names;
    await world.look(life, "full");
    disk.fill();
    await world.look(life, "full to the last byte");
    await world.remove(life, 2);
    await life.kill();
    world.lookAtWatch(await watch.close());
    life = await mortal.start(dataDir);
    await world.look(life, "started while full");
    await world.remove(life, size / 2);
    await world.create(life, "after-deletions");
    await world.look(life, "with room by deletions");
    disk.makeRoom();
    for (let count = 0; count < 20; count++) await world.create(life, `with-room-${count}`);
    await life.kill();
    life = await mortal.start(dataDir);
    await world.look(life, "with room");
    return { acknowledged: size, refusal: refusals[0], problems: world.problems };
  } finally {
    await life.kill();
  }
}

class World {
  readonly names = new Set<string>();
  readonly problems: string[] = [];
  #created = 0;

  async writeUntilRefused(life: Life, writer: number): Promise<Answer> {
    for (let count = 0; ; count++) {
      const name = `w${writer}-${count}`;
      const answer = await post(life, name);
      if (answer.status !== 201) return answer;
      this.names.add(name);
      this.#created++;
    }
  }

  async create(life: Life, name: string): Promise<void> {
    const { status, text } = await post(life, name);
    if (status === 201) this.names.add(name);
    else this.problems.push(`${name} was refused: ${text}`);
  }

  async remove(life: Life, count: number): Promise<void> {
    const removed = [...this.names].filter((name) => name.startsWith("w")).slice(0, count);
    for (const name of removed) {
      const { status, text } = await life.call("DELETE", `${CONFIG_MAPS}/${name}`);
      if (status === 200) this.names.delete(name);
      else this.problems.push(`${name} was not deleted: ${text}`);
    }
  }

  async look(life: Life, when: string): Promise<void> {
    const { items } = (await life.call("GET", CONFIG_MAPS)).json;
    const found = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort();
    const expected = [...this.names].sort();
    if (found.join() === expected.join()) return;
    this.problems.push(`${when}: found ${found.length} objects, not ${expected.length}`);
  }

  /** A watch must deliver what was acknowledged, and nothing else. */
  lookAtWatch(events: readonly { readonly type: string }[]): void {
    const added = events.filter(({ type }) => type === "ADDED").length;
    if (added !== this.#created) this.problems.push(`a watch heard of ${added} creations`);
  }
}

function post(life: Life, name: string): Promise<Answer> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value: VALUE } };
  return life.call("POST", CONFIG_MAPS, body);
}
