/**
 * The spawner's own process: `node spawner.js DIRECTORY VERSION`, started by a server and found
 * again by the next one. It holds the lock of its directory, listens there, and serves one server
 * at a time: a second one takes the place of a first that must be dead.
 */
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { unreachable } from "../../base/assert.ts";
import { lockDirectory } from "../../base/directory-lock.ts";
import { socketAddress } from "./address.ts";
import { type News, NO_CGROUPS, type Order, splitLines } from "./protocol.ts";
import { Spawner } from "./spawner.ts";

const [directory = "", version = "", cgroups] = process.argv.slice(2);
/** With nothing to run and nobody to ask for it there is no reason to stay. */
const LONELY_MS = 5 * 60_000;
const LATER_MS = 5;
const OWNERS = 0o700;

// Its own files, and the logs that its slots make, have to be the owner's to read and to write.
const mask = process.umask();
if ((mask & OWNERS) !== 0) process.umask(mask & ~OWNERS);

const lock = await lockDirectory(directory);
let peer: Socket | undefined;
let outgoing = "";
let isDue = false;
let later: NodeJS.Timeout | undefined;
let lonely: NodeJS.Timeout | undefined;
const spawner = new Spawner({ directory, tell, usesCgroups: cgroups !== NO_CGROUPS });
await spawner.settle();
const address = socketAddress(directory);
rmSync(address, { force: true });
createServer(onConnection).listen(address);
leaveWhenLonely();

function onConnection(socket: Socket): void {
  peer?.destroy();
  peer = socket;
  // What a server asked for and did not live to see begin, the next one asks for if it wants it.
  spawner.dropWaiting();
  clearTimeout(lonely);
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("error", () => {});
  socket.on("close", () => {
    if (peer !== socket) return;
    peer = undefined;
    leaveWhenLonely();
  });
  socket.on("data", (text: string) => {
    const split = splitLines(rest, text);
    rest = split.rest;
    for (const line of split.lines) if (peer === socket) obey(JSON.parse(line));
    spawner.startWaiting();
  });
}

function obey(order: Order): void {
  switch (order.order) {
    case "greet":
      if (order.version === version) tell({ news: "greeting", version, can: spawner.can });
      else void retire("retiring");
      break;
    case "start":
      spawner.start(order);
      break;
    case "signal":
      void spawner.signal(order.run, order.signal);
      break;
    case "forget":
      spawner.forget(order.run);
      break;
    case "leave":
      spawner.leave(order.pod);
      break;
    case "tell":
      tell(spawner.all());
      break;
    case "close":
      void close(order.leavesRunning);
      break;
    default:
      unreachable(order);
  }
}

async function close(leavesRunning: boolean): Promise<void> {
  if (!leavesRunning) await spawner.endAll();
  if (spawner.isIdle) await retire("closed");
  else tell({ news: "closed" });
}

/** Runs go on without us; the next spawner finds them by their records. */
async function retire(news: "retiring" | "closed"): Promise<void> {
  await spawner.close();
  const text = `${outgoing}${JSON.stringify({ news })}\n`;
  outgoing = "";
  const leave = () => void lock.release().finally(() => process.exit(0));
  if (peer === undefined) leave();
  else peer.end(text, leave);
}

function leaveWhenLonely(): void {
  clearTimeout(lonely);
  lonely = setTimeout(() => {
    if (spawner.isIdle) void retire("retiring");
    else leaveWhenLonely();
  }, LONELY_MS);
}

/**
 * What happens in one turn is one write. Without a server it is kept in the records alone. That a
 * run began may wait: a short one is over before anybody could have asked for it.
 */
function tell(news: News): void {
  if (peer === undefined) return;
  outgoing += `${JSON.stringify(news)}\n`;
  if (news.news === "started") {
    later ??= setTimeout(send, LATER_MS);
  } else if (!isDue) {
    isDue = true;
    process.nextTick(send);
  }
}

function send(): void {
  isDue = false;
  clearTimeout(later);
  later = undefined;
  if (outgoing !== "" && peer !== undefined) peer.write(outgoing);
  outgoing = "";
}
