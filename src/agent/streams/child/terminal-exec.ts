/**
 * A command on a terminal. The terminal is opened here; the command is started by the other child,
 * which has no terminals open that the command would inherit.
 */
import type { Socket } from "node:net";
import { STDOUT } from "../frames.ts";
import type { ExecOrder } from "../orders.ts";
import { onNews, type StreamsChild } from "../streams-child.ts";
import { nowhere, tellEnd } from "./exec.ts";
import type { Peer, Stream } from "./peer.ts";
import { Terminal } from "./terminal.ts";

export async function executeOnTerminal(
  peer: Peer,
  order: ExecOrder,
  starter: Pick<StreamsChild, "open">,
): Promise<Stream> {
  const terminal = Terminal.open();
  try {
    const command = await starter.open({ ...order, stdin: false, terminal: terminal.path });
    const { exited } = await beginning(command, peer);
    terminal.releaseSlave();
    peer.feed(order.stdin ? terminal.input() : nowhere());
    peer.forward(STDOUT, terminal.output);
    tellEnd(peer, exited, [terminal.output]);
    return {
      resize: (width, height) => terminal.resize(width, height),
      close: () => {
        terminal.close();
        command.destroy();
      },
    };
  } catch (error) {
    terminal.close();
    throw error;
  }
}

interface Begun {
  readonly exited: Promise<number>;
}

/** In an object, since a promise of a promise is one that waits for both. */
function beginning(command: Socket, peer: Peer): Promise<Begun> {
  return new Promise((resolve, reject) => {
    let hasExited = false;
    const exited = new Promise<number>((tellExit) => {
      onNews(command, (news) => {
        if (news.news === "begun") resolve({ exited });
        else if (news.news === "refused") reject(new Error(news.message));
        else if (news.news === "exit") {
          hasExited = true;
          tellExit(news.exitCode);
        }
      });
    });
    command.once("close", () => {
      if (!hasExited) peer.end({ news: "refused", message: GONE });
      reject(new Error(GONE));
    });
  });
}

const GONE = "the process that started the command is gone";
