/**
 * Pure: what a connection to the child that holds streams is for. Its first frame is one of these
 * orders; the connection is that stream until either side closes it.
 */

export type StreamOrder =
  | ExecOrder
  /** Before a container begins that wants an input or a terminal: where it finds them. */
  | HoldOrder
  | AttachOrder
  /** The container has ended. */
  | { readonly order: "release"; readonly run: string };

export interface ExecOrder {
  readonly order: "exec";
  readonly command: readonly string[];
  readonly environment: readonly (readonly [name: string, value: string])[];
  readonly directory: string;
  /** Marks its processes as those of this run: they end with it. */
  readonly run: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** The terminal that the other child has opened for it: "/dev/pts/3". */
  readonly terminal?: string;
}

export interface AttachOrder {
  readonly order: "attach";
  readonly run: string;
  readonly stdin: boolean;
  /** The container has a terminal. */
  readonly tty: boolean;
}

export interface HoldOrder {
  readonly order: "hold";
  readonly run: string;
  readonly tty: boolean;
  readonly stdin: boolean;
  /** Whoever attaches first is the only one to write: its input ends with it. */
  readonly isOnce: boolean;
  /** What a terminal shows is kept here. */
  readonly logFile: string;
}

export interface HeldTerminal {
  /** "/dev/pts/3" */
  readonly path: string;
  /** The program that makes a process the master of the terminal on its input. */
  readonly setsid: string;
}

/** In the midst of a stream. */
export type StreamRequest = {
  readonly order: "resize";
  readonly width: number;
  readonly height: number;
};

export type StreamNews =
  /** The command runs on the terminal that it was given. */
  | { readonly news: "begun" }
  | { readonly news: "exit"; readonly exitCode: number }
  | { readonly news: "refused"; readonly message: string }
  | { readonly news: "held"; readonly stdinFile?: string; readonly terminal?: HeldTerminal }
  /** The container's own process is gone. */
  | { readonly news: "over" };
