/** Pure: a command did not do what it was asked to. The message is all there is to say. */

export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(
    message: string,
    readonly exitCode: number = 1,
  ) {
    super(message);
  }
}
