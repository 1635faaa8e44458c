/** Pure: how a stream can fail besides an ApiError. */

/** A stream ended because of its client: it is gone, late, or does not keep to the protocol. */
export class ClientFault extends Error {
  override readonly name = "ClientFault";
}

/** An answer in plain text, as kubelet gives it through the server. */
export class PlainRefusal extends Error {
  override readonly name = "PlainRefusal";
}
