import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chooseChannelProtocol,
  choosePortProtocol,
  formatMessage,
  parseMessage,
  STDIN,
  STDOUT,
} from "./channels.ts";

describe("the first protocol is chosen that the client names and the server supports", () => {
  test.each([
    [["v5.channel.k8s.io", "v4.channel.k8s.io"], "v5.channel.k8s.io"],
    [["v4.channel.k8s.io", "v5.channel.k8s.io"], "v4.channel.k8s.io"],
    [["v9.channel.k8s.io", "v4.base64.channel.k8s.io"], "v4.base64.channel.k8s.io"],
    [["base64.channel.k8s.io"], "base64.channel.k8s.io"],
    [[], ""],
    [["something"], undefined],
  ])("%j: %s", (names, chosen) => {
    expect(chooseChannelProtocol(names)?.name).toBe(chosen);
  });
});

test("port forwarding supports only v4 protocols and no name", () => {
  expect(choosePortProtocol(["v5.channel.k8s.io", "v4.channel.k8s.io"])?.name).toBe(
    "v4.channel.k8s.io",
  );
  expect(choosePortProtocol([])?.name).toBe("");
});

test.each(["v5.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io"])(
  "parsing a formatted message in %s returns the same message",
  (name) => {
    const protocol = chooseChannelProtocol([name]);
    if (!protocol) throw new Error(name);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), fc.uint8Array(), (channel, bytes) => {
        const message = formatMessage(protocol, channel, bytes);
        const heard = parseMessage(protocol, Buffer.from(message));
        expect(heard).toEqual({ channel, bytes: Buffer.from(bytes) });
      }),
    );
  },
);

test("since v5 a channel can be closed", () => {
  const closing = Buffer.from([255, STDIN]);
  const v5 = chooseChannelProtocol(["v5.channel.k8s.io"]);
  const v4 = chooseChannelProtocol(["v4.channel.k8s.io"]);
  if (!v5 || !v4) throw new Error("they are known");
  expect(parseMessage(v5, closing)).toEqual({ closed: STDIN });
  expect(parseMessage(v4, closing)).toEqual({ channel: 255, bytes: Buffer.from([STDIN]) });
  expect(parseMessage(v5, Buffer.alloc(0))).toBeUndefined();
  expect(formatMessage(v5, STDOUT, Buffer.alloc(0))).toEqual(Buffer.from([STDOUT]));
});
