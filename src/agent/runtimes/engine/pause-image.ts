/**
 * Pure: an image of one program that does nothing, for the container that holds what the others of
 * a pod share. It is made here, down to its bytes, so that no registry is needed to start a pod.
 */

/** Another program is another image. Its tag is the usual one: Podman imports under no other. */
export const PAUSE_REPOSITORY = "localhost/tally-pause-1";
export const PAUSE_IMAGE = `${PAUSE_REPOSITORY}:latest`;

/** A tar archive with the program alone, or undefined where we know no program for the machine. */
export function pauseArchive(architecture: string): Buffer | undefined {
  const code = CODE[architecture];
  if (code === undefined) return undefined;
  const program = elfProgram(code.machine, Buffer.from(code.bytes.join("") + IGNORE, "hex"));
  return Buffer.concat([
    tarHeader("pause", program.length),
    program,
    Buffer.alloc(padding(program.length, TAR_BLOCK)),
    // Two empty blocks end an archive.
    Buffer.alloc(2 * TAR_BLOCK),
  ]);
}

interface MachineCode {
  /** As the header of a program names the processor. */
  readonly machine: number;
  readonly bytes: readonly string[];
}

/**
 * Ignore SIGCHLD, so that whoever dies in a shared process tree leaves no zombie, and wait for a
 * signal, for ever. A struct sigaction follows the code.
 */
const CODE: { readonly [architecture: string]: MachineCode | undefined } = {
  x64: {
    machine: 0x3e,
    bytes: [
      "b80d000000", // mov eax, 13 (rt_sigaction)
      "bf11000000", // mov edi, 17 (SIGCHLD)
      "488d3517000000", // lea rsi, [rip + 23] (the struct)
      "31d2", // xor edx, edx
      "41ba08000000", // mov r10d, 8
      "0f05", // syscall
      "b822000000", // mov eax, 34 (pause)
      "0f05", // syscall
      "ebf7", // jmp back to the pause
      "0f1f4000", // fills up
    ],
  },
  arm64: {
    machine: 0xb7,
    bytes: [
      "c81080d2", // mov x8, 134 (rt_sigaction)
      "200280d2", // mov x0, 17 (SIGCHLD)
      "81010010", // adr x1, the struct
      "020080d2", // mov x2, 0
      "030180d2", // mov x3, 8
      "010000d4", // svc 0
      "000080d2010080d2020080d2030080d2", // mov x0, x1, x2 and x3, 0
      "280980d2", // mov x8, 73 (ppoll, of nothing)
      "010000d4", // svc 0
      "faffff17", // b back to the ppoll
      "1f2003d5", // fills up
    ],
  },
};

/** struct sigaction: SIG_IGN, no flags, no restorer, an empty mask. */
const IGNORE = `01${"00".repeat(31)}`;

const ELF_HEADER = 64;
const PROGRAM_HEADER = 56;
const BASE = 0x400000;

/** The smallest program Linux takes: a header, one segment, and the code in it. */
function elfProgram(machine: number, code: Buffer): Buffer {
  const size = ELF_HEADER + PROGRAM_HEADER + code.length;
  const head = Buffer.alloc(ELF_HEADER + PROGRAM_HEADER);
  head.write("\x7fELF\x02\x01\x01", "latin1");
  head.writeUInt16LE(2, 16); // an executable
  head.writeUInt16LE(machine, 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(BigInt(BASE + head.length), 24); // where it begins
  head.writeBigUInt64LE(BigInt(ELF_HEADER), 32);
  head.writeUInt16LE(ELF_HEADER, 52);
  head.writeUInt16LE(PROGRAM_HEADER, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(1, ELF_HEADER); // to be loaded
  head.writeUInt32LE(5, ELF_HEADER + 4); // to be read and run
  head.writeBigUInt64LE(BigInt(BASE), ELF_HEADER + 16);
  head.writeBigUInt64LE(BigInt(BASE), ELF_HEADER + 24);
  head.writeBigUInt64LE(BigInt(size), ELF_HEADER + 32);
  head.writeBigUInt64LE(BigInt(size), ELF_HEADER + 40);
  head.writeBigUInt64LE(0x1000n, ELF_HEADER + 48);
  return Buffer.concat([head, code]);
}

const TAR_BLOCK = 512;

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(name, 0);
  header.write(octal(0o755, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return header;
}

function padding(size: number, block: number): number {
  return (block - (size % block)) % block;
}
