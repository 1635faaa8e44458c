/** Parsers of bytes on connections: exec streams, DNS questions, output of containers. */
import { OutputSplitter } from "../../src/agent/runtimes/engine/output-frames.ts";
import { formatControl, formatFrame, splitFrames } from "../../src/agent/streams/frames.ts";
import { FrameSplitter } from "../../src/client/frame-splitter.ts";
import { decodeQuery, encodeAnswer } from "../../src/dns/wire.ts";
import { encodeFrame, FrameReader } from "../../src/nodes/frames.ts";
import {
  formatData,
  formatPing,
  formatSynReply,
  splitSpdy,
} from "../../src/server/http/spdy/frames.ts";
import { emptyHeaders, HeaderReader } from "../../src/server/http/spdy/headers.ts";
import { chooseChannelProtocol, parseMessage } from "../../src/server/http/streams/channels.ts";
import { parseSize } from "../../src/server/http/streams/command-status.ts";
import { type FuzzedParser, outcomeOf } from "./parser.ts";

/** A question for "a.b", type A. */
const QUESTION = Buffer.from("000101000001000000000000016101620000010001", "hex");
const WITH_EDNS = Buffer.from(
  "0001010000010000000000010161000001000100002904d0000000000000",
  "hex",
);
const SYN_STREAM = Buffer.from(
  "80030001000000180000000100000000000078010400fbff00000000000000ffff",
  "hex",
);
const NOTHING = Buffer.alloc(0);

function frames(
  name: string,
  seeds: readonly Buffer[],
  split: (input: Buffer) => unknown,
): FuzzedParser {
  return { name, seeds, read: (input) => outcomeOf(() => split(input)) };
}

const PROTOCOLS = ["v5.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io"];

export const FRAME_PARSERS: readonly FuzzedParser[] = [
  frames(
    "websocket-channels",
    [Buffer.from([0, 65]), Buffer.from([255, 0]), Buffer.from("0YQ==")],
    (input) =>
      PROTOCOLS.map((name) => {
        const protocol = chooseChannelProtocol([name]);
        return protocol && parseMessage(protocol, input);
      }),
  ),
  frames("terminal-size", [Buffer.from('{"Width":80,"Height":24}')], (input) =>
    parseSize(input.toString("utf8")),
  ),
  frames(
    "spdy-frames",
    [SYN_STREAM, formatData(1, Buffer.from("a"), true), formatPing(1), formatSynReply(1, NOTHING)],
    (input) => splitSpdy(NOTHING, input),
  ),
  {
    name: "spdy-headers",
    seeds: [emptyHeaders({ isFirst: true }), emptyHeaders({ isFirst: false })],
    read: async (input) => {
      const reader = new HeaderReader();
      try {
        return `read ${(await reader.read(input)).size}`;
      } catch (error) {
        // Any error of a header block closes the connection, also one of zlib.
        return error instanceof Error ? error.message : String(error);
      } finally {
        reader.close();
      }
    },
  },
  frames(
    "frames-of-streams",
    [formatFrame(1, Buffer.from("a")), formatControl({ type: "start" })],
    (input) => splitFrames(NOTHING, input),
  ),
  frames("frames-of-nodes", [encodeFrame(3, Buffer.from("{}"))], (input) =>
    new FrameReader().read(input),
  ),
  frames("frames-of-a-watch", [Buffer.from("000000026162000000016300000009", "hex")], (input) => {
    const splitter = new FrameSplitter();
    const half = input.length >> 1;
    return [...splitter.take(input.subarray(0, half)), ...splitter.take(input.subarray(half))];
  }),
  frames(
    "output-of-an-engine",
    [Buffer.from("0100000000000001610200000000000001", "hex")],
    (input) => new OutputSplitter().split(input),
  ),
  frames("dns-question", [QUESTION, WITH_EDNS], (input) => {
    const decoded = decodeQuery(input);
    if (decoded === undefined || "refusal" in decoded) return decoded;
    const { query } = decoded;
    const records = [{ name: query.name, ttl: 5, type: 1, address: [127, 0, 0, 1] } as const];
    return encodeAnswer(query, { rcode: 0, isAuthoritative: true, answers: records }, 512);
  }),
];
