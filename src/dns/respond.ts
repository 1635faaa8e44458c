/** Answers a question from the cluster's names, or by asking the host's resolvers. */

import {
  type Answer,
  type DnsRecord,
  decodeQuery,
  encodeAnswer,
  type Query,
  RCODE,
} from "./wire.ts";
import { authorityRecord, type ClusterView, type Found, lookUp } from "./zone.ts";

export interface Responder {
  readonly view: ClusterView;
  readonly upstream: Upstream;
}

export interface Upstream {
  /** Returns the answer unchanged; undefined if no server answers. */
  relay(question: Buffer, transport: Transport): Promise<Buffer | undefined>;
  /** The records of the target of an alias; undefined if no server answers. */
  resolve(name: string, type: number): Promise<readonly DnsRecord[] | undefined>;
}

export type Transport = "udp" | "tcp";

const MAX_MESSAGE_BYTES = 65_535;
/** An alias may refer to another alias. */
const MAX_ALIASES = 8;

/** Returns undefined if no answer is to be sent. */
export async function respond(
  responder: Responder,
  question: Buffer,
  transport: Transport,
): Promise<Buffer | undefined> {
  const decoded = decodeQuery(question);
  if (decoded === undefined) return undefined;
  if ("refusal" in decoded) return decoded.refusal;
  const { query } = decoded;
  const maxBytes = transport === "udp" ? query.udpBytes : MAX_MESSAGE_BYTES;
  const found = lookUp(responder.view, query.name, query.type);
  if (found.kind === "elsewhere" && !query.isUnknownVersion) {
    const relayed = await responder.upstream.relay(question, transport);
    return relayed ?? encodeAnswer(query, FAILED, maxBytes);
  }
  const answer = await answerOf(responder, query, found);
  return encodeAnswer(query, answer, maxBytes);
}

const FAILED: Answer = { rcode: RCODE.failed, isAuthoritative: false, answers: [] };

async function answerOf(responder: Responder, query: Query, found: Found): Promise<Answer> {
  if (found.kind === "alias") return followAlias(responder, query, found.record);
  return composeAnswer(found);
}

function composeAnswer(found: Found): Answer {
  if (found.kind !== "records") {
    return { rcode: RCODE.noName, isAuthoritative: true, answers: [], authority: AUTHORITY };
  }
  const { records, additional = [] } = found;
  const authority = records.length === 0 ? AUTHORITY : [];
  return { rcode: RCODE.ok, isAuthoritative: true, answers: records, authority, additional };
}

const AUTHORITY = [authorityRecord()];

/**
 * Resolves the alias here, because simple (stub) resolvers do not ask for the target themselves.
 */
async function followAlias(
  responder: Responder,
  { type }: Query,
  first: DnsRecord & { readonly target: string },
): Promise<Answer> {
  const answers: DnsRecord[] = [first];
  let target = first.target;
  for (let step = 0; step < MAX_ALIASES; step++) {
    const found = lookUp(responder.view, target, type);
    if (found.kind === "alias") {
      answers.push(found.record);
      target = found.record.target;
      continue;
    }
    if (found.kind === "elsewhere") {
      const records = await responder.upstream.resolve(target, type);
      return { rcode: RCODE.ok, isAuthoritative: true, answers: [...answers, ...(records ?? [])] };
    }
    const { answers: rest, ...answer } = composeAnswer(found);
    return { ...answer, answers: [...answers, ...rest] };
  }
  return FAILED;
}
