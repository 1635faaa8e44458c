/** Pure: errors of streams other than ApiError. */

/** A stream ended because of its client: it disconnected, timed out or violated the protocol. */
export class ClientFault extends Error {
  override readonly name = "ClientFault";
}

/** An answer in plain text, as kubelet sends it through the server. */
export class PlainRefusal extends Error {
  override readonly name = "PlainRefusal";
}
