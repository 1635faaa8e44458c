/**
 * The addresses of the pods of one node. A pod of an Indexed Job has one by its Job and index,
 * every other pod by its uid: whoever asks again, be it after a restart, hears the same address,
 * unless somebody else has it by then. Nothing is stored but the status of the pods.
 */
import { completionIndexOf } from "../../api/completion-index.ts";
import type { Pod } from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { addressAt, type Cidr, formatAddress, parseAddress } from "../../base/address.ts";
import { hashText } from "../../base/hash.ts";

export interface PodRange {
  readonly cidr: Cidr;
  /** So many from the start are not for pods: that of the network, that of a gateway. */
  readonly reserved: number;
}

/** 127.64.0.0/10: all of it is this machine, and nobody else's. */
export const LOOPBACK_PODS: PodRange = {
  cidr: { network: [127, 64, 0, 0], prefixLength: 10 },
  reserved: 1,
};

export class PodAddresses {
  private readonly size: number;
  /** Whose a place in the range is. */
  private readonly holders = new Map<number, Holder>();
  private readonly places = new Map<string, number>();

  constructor(private readonly range: PodRange) {
    const { network, prefixLength } = range.cidr;
    // The last one names everybody.
    this.size = 2 ** (network.length * 8 - prefixLength) - range.reserved - 1;
  }

  /** What the pod has, or gets. Undefined where all are taken. */
  take(pod: Pod): string | undefined {
    const uid = pod.metadata.uid ?? "";
    const known = this.places.get(uid);
    if (known !== undefined) return this.format(known);
    const key = keyOf(pod);
    const place = this.storedPlace(pod, key) ?? this.findPlace(key);
    if (place === undefined) return undefined;
    this.occupy(place, uid, key);
    return this.format(place);
  }

  /**
   * The processes of the pod have the address that its status names. It stays theirs even if the
   * pod has another key by now, since clients may edit its index and its owner.
   */
  keep(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const place = this.placeOf(pod.status.podIP ?? "");
    if (place !== undefined && !this.places.has(uid)) this.occupy(place, uid, keyOf(pod));
  }

  /** The pod is gone. */
  release(uid: string): void {
    const place = this.places.get(uid);
    if (place === undefined) return;
    this.places.delete(uid);
    const holder = this.holders.get(place);
    if (holder && --holder.users === 0) this.holders.delete(place);
  }

  private occupy(place: number, uid: string, key: string): void {
    this.places.set(uid, place);
    const holder = this.holders.get(place);
    if (holder) holder.users++;
    else this.holders.set(place, { key, users: 1 });
  }

  /** One it was told to have before is its own. */
  private storedPlace({ status }: Pod, key: string): number | undefined {
    const place = this.placeOf(status.podIP ?? "");
    return place !== undefined && this.isFree(place, key) ? place : undefined;
  }

  private findPlace(key: string): number | undefined {
    const first = hashText(key) % this.size;
    for (let step = 0; step < this.size; step++) {
      const place = (first + step) % this.size;
      if (this.isFree(place, key)) return place;
    }
    return undefined;
  }

  private isFree(place: number, key: string): boolean {
    const holder = this.holders.get(place);
    return holder === undefined || holder.key === key;
  }

  private format(place: number): string {
    return formatAddress(addressAt(this.range.cidr, place + this.range.reserved));
  }

  private placeOf(text: string): number | undefined {
    const address = parseAddress(text);
    const { network } = this.range.cidr;
    if (address === undefined || address.length !== network.length) return undefined;
    const distance = address.reduce((sum, byte, at) => sum * 256 + byte - (network[at] ?? 0), 0);
    const place = distance - this.range.reserved;
    return place >= 0 && place < this.size ? place : undefined;
  }
}

interface Holder {
  readonly key: string;
  /** A pod and the one that replaces it at the same index, which waits until it is gone. */
  users: number;
}

function keyOf(pod: Pod): string {
  const index = completionIndexOf(pod);
  const owner = index === undefined ? undefined : controllerOf(pod);
  return owner?.kind === "Job" ? `${owner.uid}/${index}` : (pod.metadata.uid ?? "");
}
