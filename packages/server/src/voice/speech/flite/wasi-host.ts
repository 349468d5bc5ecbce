// The part of WASI preview 1 that flite calls: arguments, one output file, and the error stream. The program has no access to files or
// clocks of this machine.

const OK = 0;
const BAD_DESCRIPTOR = 8;
const NO_ENTRY = 44;
const NOT_SEEKABLE = 70;

const ERROR_STREAM = 2;
const FOLDER = 3;
const OUTPUT = 4;
const FOLDER_NAME = "/o";
export const OUTPUT_FILE = `${FOLDER_NAME}/out`;

const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;
const TYPES: Record<number, number> = {
  0: CHARACTER_DEVICE,
  1: CHARACTER_DEVICE,
  2: CHARACTER_DEVICE,
  [FOLDER]: DIRECTORY,
  [OUTPUT]: REGULAR_FILE,
};
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn;
const ERROR_BYTES_MAX = 4_096;

class Exit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The program ended with status ${status}.`);
    this.status = status;
  }
}

type Instance = { exports: { memory: { buffer: ArrayBuffer }; _start: () => void } };

/** Node's type definitions do not declare the global `WebAssembly`. */
type Engine = {
  Module: new (bytes: Uint8Array) => object;
  instantiate: (program: object, imports: Record<string, object>) => Promise<Instance>;
};
const engine = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;

type Program = object;

export const compile = (bytes: Uint8Array): Program => new engine.Module(bytes);

/** Runs a program once, with new memory. */
export async function runProgram(
  program: Program,
  args: readonly string[],
): Promise<{ status: number; output: Uint8Array; errors: string }> {
  const encoded = args.map((argument) => Buffer.from(`${argument.replaceAll("\0", " ")}\0`));
  const output: Uint8Array[] = [];
  const errors: Uint8Array[] = [];
  let errorBytes = 0;
  let memory: Instance["exports"]["memory"];
  const view = () => new DataView(memory.buffer);
  const bytesAt = (at: number, length: number) => new Uint8Array(memory.buffer, at, length);

  function write(descriptor: number, bytes: Uint8Array): void {
    if (descriptor === OUTPUT) output.push(bytes.slice());
    if (descriptor !== ERROR_STREAM || errorBytes > ERROR_BYTES_MAX) return;
    errorBytes += bytes.length;
    errors.push(bytes.slice());
  }

  const host = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count, encoded.length, true);
      view().setUint32(
        size,
        encoded.reduce((sum, { length }) => sum + length, 0),
        true,
      );
      return OK;
    },
    args_get(pointers: number, texts: number) {
      let at = texts;
      for (const [index, argument] of encoded.entries()) {
        view().setUint32(pointers + index * 4, at, true);
        bytesAt(at, argument.length).set(argument);
        at += argument.length;
      }
      return OK;
    },
    clock_time_get(_clock: number, _precision: bigint, time: number) {
      view().setBigUint64(time, 0n, true);
      return OK;
    },
    fd_fdstat_get(descriptor: number, stat: number) {
      const type = TYPES[descriptor];
      if (type === undefined) return BAD_DESCRIPTOR;
      bytesAt(stat, 24).fill(0);
      view().setUint8(stat, type);
      view().setBigUint64(stat + 8, ALL_RIGHTS, true);
      view().setBigUint64(stat + 16, ALL_RIGHTS, true);
      return OK;
    },
    fd_prestat_get(descriptor: number, stat: number) {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR;
      view().setUint32(stat, 0, true);
      view().setUint32(stat + 4, FOLDER_NAME.length, true);
      return OK;
    },
    fd_prestat_dir_name(_descriptor: number, name: number, length: number) {
      bytesAt(name, length).set(Buffer.from(FOLDER_NAME).subarray(0, length));
      return OK;
    },
    path_open(...given: [number, number, number, number, number, bigint, bigint, number, number]) {
      const [, , name, length, , , , , opened] = given;
      if (`${FOLDER_NAME}/${Buffer.from(bytesAt(name, length)).toString()}` !== OUTPUT_FILE) return NO_ENTRY;
      view().setUint32(opened, OUTPUT, true);
      return OK;
    },
    fd_write(descriptor: number, vectors: number, count: number, written: number) {
      let total = 0;
      for (let at = vectors; at < vectors + count * 8; at += 8) {
        const length = view().getUint32(at + 4, true);
        write(descriptor, bytesAt(view().getUint32(at, true), length));
        total += length;
      }
      view().setUint32(written, total, true);
      return OK;
    },
    fd_close: () => OK,
    fd_fdstat_set_flags: () => OK,
    fd_read: () => BAD_DESCRIPTOR,
    fd_seek: () => NOT_SEEKABLE,
    proc_exit(status: number) {
      throw new Exit(status);
    },
  };

  const { exports } = await engine.instantiate(program, { wasi_snapshot_preview1: host });
  const { _start: start } = exports;
  memory = exports.memory;
  const status = statusOf(start);
  return { status, output: Buffer.concat(output), errors: Buffer.concat(errors).toString("latin1") };
}

function statusOf(start: () => void): number {
  try {
    start();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.status;
    throw error;
  }
}
