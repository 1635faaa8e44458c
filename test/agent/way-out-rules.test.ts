/** The firewall rules that let pods reach the outside, tested in a separate network namespace. */
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findTools } from "../../src/agent/spawner/sandbox/tools.ts";
import {
  composeNoWayOut,
  composeWayOut,
  type Translator,
} from "../../src/agent/spawner/sandbox/way-out.ts";
import { canMakeNetworks } from "./peers-by-name.ts";

const NETWORK = `tally-rules-${process.pid}`;
const BRIDGE = "tally-0000000a";
const OTHER = "tally-0000000b";
const CIDR = "10.213.0.1/16";

const translators: readonly Translator[] = (["iptables", "nft"] as const).flatMap((kind) => {
  const isOther = (name: string) => kind === "nft" && name.startsWith("iptables");
  const found = findTools(0, (name) => (isOther(name) ? undefined : programOf(name)));
  const { translator } = found.tools ?? {};
  return translator?.kind === kind ? [translator] : [];
});

describe.skipIf(!canMakeNetworks)("rules of the way out [needs NET_ADMIN]", () => {
  beforeEach(() => {
    execFileSync("ip", ["netns", "add", NETWORK]);
    inside(`echo 0 >${SWITCH}`);
  });
  afterEach(() => execFileSync("ip", ["netns", "del", NETWORK]));

  test.each(translators)("of $kind do not change when they are set up twice", (translator) => {
    inside(composeWayOut(translator, { bridge: BRIDGE, cidr: CIDR }));
    const once = rules(translator);
    inside(composeWayOut(translator, { bridge: BRIDGE, cidr: CIDR }));
    expect(rules(translator)).toEqual(once);
    expect(once.filter((line) => /masquerade/i.test(line))).toHaveLength(1);
    expect(once.join()).toContain("10.213.0.0/16");
    inside(composeNoWayOut(translator, BRIDGE));
    expect(rules(translator)).toEqual([]);
  });

  test.each(translators)(
    "of $kind enable forwarding as long as any bridge needs it",
    (translator) => {
      inside(composeWayOut(translator, { bridge: BRIDGE, cidr: CIDR }));
      inside(composeWayOut(translator, { bridge: OTHER, cidr: "10.64.0.1/16" }));
      expect(inside(`cat ${SWITCH}`)).toBe("1");
      expect(rules(translator).filter((line) => /drop/i.test(line))).toHaveLength(2);
      inside(composeNoWayOut(translator, BRIDGE));
      expect(inside(`cat ${SWITCH}`)).toBe("1");
      inside(composeNoWayOut(translator, OTHER));
      expect(inside(`cat ${SWITCH}`)).toBe("0");
    },
  );

  test.each(translators)("of $kind drop nothing if the machine forwards anyway", (translator) => {
    inside(`echo 1 >${SWITCH}`);
    inside(composeWayOut(translator, { bridge: BRIDGE, cidr: CIDR }));
    expect(rules(translator).filter((line) => /drop/i.test(line))).toEqual([]);
    inside(composeNoWayOut(translator, BRIDGE));
    expect(inside(`cat ${SWITCH}`)).toBe("1");
  });
});

const SWITCH = "/proc/sys/net/ipv4/ip_forward";

function inside(script: string): string {
  const args = ["netns", "exec", NETWORK, "/bin/sh", "-c", script];
  return execFileSync("ip", args, { encoding: "utf8" }).trim();
}

/** Only our own rules. */
function rules(translator: Translator): readonly string[] {
  const { kind } = translator;
  const list = kind === "nft" ? `${translator.nft} list ruleset` : `${translator.save}`;
  const isRule = kind === "nft" ? /masquerade|drop/ : /^-A.*tally-/;
  return inside(list)
    .split("\n")
    .filter((line) => isRule.test(line));
}

function programOf(name: string): string | undefined {
  try {
    return execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}
