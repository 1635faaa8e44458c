/** Pure: a command has failed. Its message is printed without a stack trace. */

export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(
    message: string,
    readonly exitCode: number = 1,
  ) {
    super(message);
  }
}
