/**
 * Pure: what lets pods with a network of their own reach addresses beyond this machine, as shell:
 * translation of their addresses, and forwarding. The rules bear the name of the bridge, so that
 * those of a spawner that was killed are found again by it.
 *
 * A machine that does not forward is made to. It then forwards what pods begin and the answers to
 * that, and as little as before of anything else: the rule that says so is marked, and whoever
 * takes the last one away turns forwarding off again, unless others have rules for it by then.
 */
import { quote } from "../quote.ts";

/** By absolute path. */
export type Translator =
  | { readonly kind: "iptables"; readonly save: string; readonly restore: string }
  | { readonly kind: "nft"; readonly nft: string };

export interface PodRange {
  readonly bridge: string;
  /** Of all pods behind it. */
  readonly cidr: string;
}

/** What is there of an earlier time is replaced, in one step. */
export function composeWayOut(translator: Translator, range: PodRange): string {
  const { setUp, list } = translator.kind === "nft" ? nft(translator) : iptables(translator);
  const isOff = `[ "$(cat ${SWITCH})" = 0 ]`;
  const guards = `if ${isOff}||${list}|grep -q ${quote(GUARD)};then g=1;else g=;fi`;
  return `${guards};${setUp(range)}&&{ ! ${isOff}||echo 1 >${SWITCH};}`;
}

export function composeNoWayOut(translator: Translator, bridge: string): string {
  const { takeAway, list, forwards } =
    translator.kind === "nft" ? nft(translator) : iptables(translator);
  const guards = `if ${list}|grep ${quote(bridge)}|grep -q ${quote(GUARD)};then g=1;else g=;fi`;
  const isUnused = `[ -n "$g" ]&&! ${list}|grep -q ${quote(forwards)}`;
  return `${guards};${takeAway(bridge)};if ${isUnused};then echo 0 >${SWITCH};fi`;
}

const SWITCH = "/proc/sys/net/ipv4/ip_forward";
/** Marks rules of a machine that forwards because of us. */
const GUARD = "guards-forwarding";
/** Of every spawner on the machine. */
const ANY_BRIDGE = "tally-";

interface Rules {
  /** Where `$g` is not empty, with a rule that guards. */
  setUp(range: PodRange): string;
  takeAway(bridge: string): string;
  /** Prints rules, a line each with the name of whose they are. */
  readonly list: string;
  /** In that list, rules about what is forwarded. */
  readonly forwards: string;
}

function iptables({ save, restore }: Extract<Translator, { kind: "iptables" }>): Rules {
  const old = (table: string, bridge: string) =>
    `${save} -t ${table}|sed -n ${quote(`/--comment "\\{0,1\\}${bridge}[" :]/s/^-A/-D/p`)}`;
  const change = (table: string, bridge: string, added = "") =>
    `echo "*${table}";${old(table, bridge)};${added}echo COMMIT;`;
  const add = (rule: string, comment: string, target: string) =>
    `echo ${quote(`-A ${rule} -m comment --comment ${comment} -j ${target}`)};`;
  const answers = "--ctstate RELATED,ESTABLISHED";
  const guarded = `FORWARD ! -i ${ANY_BRIDGE}+ -m conntrack ! ${answers}`;
  return {
    setUp: ({ bridge, cidr }) => {
      const nat = add(`POSTROUTING -s ${cidr} ! -o ${bridge}`, bridge, "MASQUERADE");
      // At the end: what the machine's own rules forbid stays forbidden.
      const filter = [
        add(`FORWARD -i ${bridge}`, bridge, "ACCEPT"),
        add(`FORWARD -o ${bridge} -m conntrack ${answers}`, bridge, "ACCEPT"),
        `[ -z "$g" ]||${add(guarded, `${bridge}:${GUARD}`, "DROP")}`,
      ].join("");
      const all = `${change("nat", bridge, nat)}${change("filter", bridge, filter)}`;
      return `{ ${all}}|${restore} -n -w`;
    },
    takeAway: (bridge) => `{ ${change("nat", bridge)}${change("filter", bridge)}}|${restore} -n -w`,
    list: `${save} -t filter`,
    forwards: "^-A FORWARD",
  };
}

/** A table of our own. Rules of others that drop what is forwarded stay in force beside it. */
function nft({ nft: program }: Extract<Translator, { kind: "nft" }>): Rules {
  const say = (commands: readonly string[]) => `echo ${quote(commands.join("\n"))}`;
  return {
    setUp: ({ bridge, cidr }) => {
      const table = `ip ${bridge}`;
      const guarded = `iifname != "${ANY_BRIDGE}*" ct state != { established, related }`;
      const always = say([
        ...[`add table ${table}`, `delete table ${table}`, `add table ${table}`],
        `add chain ${table} way-out { type nat hook postrouting priority 100; }`,
        `add rule ${table} way-out ip saddr ${cidr} oifname != "${bridge}" masquerade`,
      ]);
      const guard = say([
        `add chain ${table} forwarding { type filter hook forward priority 0; }`,
        `add rule ${table} forwarding ${guarded} drop comment "${bridge}:${GUARD}"`,
      ]);
      return `{ ${always};[ -z "$g" ]||${guard};}|${program} -f -`;
    },
    takeAway: (bridge) =>
      `${say([`add table ip ${bridge}`, `delete table ip ${bridge}`])}|${program} -f -`,
    list: `${program} list ruleset`,
    forwards: "hook forward",
  };
}
