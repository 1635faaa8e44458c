/** Pure: what volumes that are made of objects consist of. */

export interface FileProjection {
  readonly content: Uint8Array;
  readonly mode: number;
}

/** By path, relative to the volume. */
export type Payload = ReadonlyMap<string, FileProjection>;

/** Files in the order in which later ones win, or everything that is wrong. */
export type Files =
  | { readonly files: readonly (readonly [path: string, file: FileProjection])[] }
  | { readonly problems: readonly string[] };
