/**
 * The spawner's own process: `node spawner.js DIRECTORY VERSION STARTER`, started by a server and
 * found again by the next one. STARTER is the pid of that server. The spawner holds the lock of its
 * directory, listens there, and serves one server at a time: a second one takes the place of a
 * first that must be dead.
 */
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { unreachable } from "../../base/assert.ts";
import { closeInherited } from "../../base/descriptors.ts";
import { lockDirectory } from "../../base/directory-lock.ts";
import { OpenedDirectory } from "../../base/opened-directory.ts";
import { ensureOwnFolder } from "../../base/own-directory.ts";
import { listenAtSocket } from "../../base/socket-address.ts";
import { socketAddress } from "./address.ts";
import { type News, NO_CGROUPS, type Order, splitLines } from "./protocol.ts";
import { Spawner } from "./spawner.ts";

const [directory = "", version = "", starter = "", cgroups] = process.argv.slice(2);
/** With nothing to run and nobody to ask for it there is no reason to stay. */
const LONELY_MS = 5 * 60_000;
const LATER_MS = 5;
/** How often it is looked whether the directory and the starter are still there. */
const LOOK_MS = 500;
/** Processes that are killed end at once, unless the kernel holds them. */
const LONGEST_END_MS = 2000;
const OWNERS = 0o700;

// Otherwise every run would have what the server or its shell had open.
closeInherited();
// Its own files, and the logs that its slots make, have to be the owner's to read and to write.
const mask = process.umask();
if ((mask & OWNERS) !== 0) process.umask(mask & ~OWNERS);

ensureOwnFolder(directory);
const lock = await lockDirectory(directory);
const opened = new OpenedDirectory(directory);
let isLeaving = false;
let isLost = false;
let wasReached = false;
let wasLeft = false;
let peer: Socket | undefined;
let outgoing = "";
let isDue = false;
let later: NodeJS.Timeout | undefined;
let lonely: NodeJS.Timeout | undefined;
const spawner = new Spawner({ directory, tell, usesCgroups: cgroups !== NO_CGROUPS });
await spawner.settle();
const address = socketAddress(directory);
rmSync(address, { force: true });
listenAtSocket(createServer(onConnection), address);
leaveWhenLonely();
setInterval(() => {
  leaveIfLost();
  leaveIfUnwanted();
}, LOOK_MS).unref();

function onConnection(socket: Socket): void {
  peer?.destroy();
  peer = socket;
  wasReached = true;
  wasLeft = false;
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
    case "accompany":
      spawner.accompany(order.run);
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
  if (spawner.isIdle) {
    await retire("closed");
    return;
  }
  wasLeft = true;
  tell({ news: "closed" });
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
 * Ends all runs and then the spawner. Without the directory no server can find this spawner, and no
 * later spawner its runs. Exit codes are not reported: the runs failed because their logs are gone.
 */
function leaveIfLost(): void {
  if (isLeaving || !opened.isGone) return;
  isLeaving = true;
  isLost = true;
  const leave = () => process.exit(1);
  setTimeout(leave, LONGEST_END_MS);
  void spawner.endAll().then(leave, leave);
}

/** Its server has left and what it left running is over, or no server has ever come. */
function leaveIfUnwanted(): void {
  const wasForgotten = !wasReached && process.ppid !== Number(starter);
  if (isLeaving || !spawner.isIdle || !(wasLeft || wasForgotten)) return;
  isLeaving = true;
  void retire("retiring");
}

/**
 * What happens in one turn is one write. Without a server it is kept in the records alone. That a
 * run began may wait: a short one is over before anybody could have asked for it.
 */
function tell(news: News): void {
  if (news.news === "ended" && news.exitCode !== 0) leaveIfLost();
  if (peer === undefined || isLost) return;
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
