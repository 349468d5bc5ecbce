import { type DuckDBAppender, DuckDBDataChunk } from "@duckdb/node-api";
import duckdb, { type DataChunk, type LogicalType, type Vector } from "@duckdb/node-bindings";

/** The rows of a full chunk. */
export const CHUNK_ROWS = 2048;

export type VectorType = "UTINYINT" | "UINTEGER" | "BIGINT" | "UBIGINT" | "UHUGEINT" | "DOUBLE" | "VARCHAR";

export const createChunk = (types: VectorType[]): DataChunk =>
  duckdb.create_data_chunk(types.map((type): LogicalType => duckdb.create_logical_type(duckdb.Type[type])));

/** Empties a chunk and sets its length. */
export function startChunk(chunk: DataChunk, rows: number): void {
  duckdb.data_chunk_reset(chunk);
  duckdb.data_chunk_set_size(chunk, rows);
}

/** Fills a column of fixed width from bytes in DuckDB's layout (little endian). */
export function fillFixed(chunk: DataChunk, column: number, bytes: ArrayBuffer, offset: number, length: number): void {
  duckdb.copy_data_to_vector(duckdb.data_chunk_get_vector(chunk, column), 0, bytes, offset, length);
}

const validity = new ArrayBuffer(CHUNK_ROWS / 8);
const validityBits = new Uint8Array(validity);

/** Fills a column of texts; `textAt` returns UTF-8 bytes, or null for NULL. DuckDB copies them and checks the UTF-8. */
export function fillTexts(
  chunk: DataChunk,
  column: number,
  rows: number,
  textAt: (row: number) => Uint8Array | null,
): void {
  const vector: Vector = duckdb.data_chunk_get_vector(chunk, column);
  validityBits.fill(0xff);
  let missing = 0;
  for (let row = 0; row < rows; row++) {
    const text = textAt(row);
    if (text === null) {
      validityBits[row >> 3]! &= ~(1 << (row & 7));
      missing++;
    } else {
      duckdb.vector_assign_string_element_len(vector, row, text);
    }
  }
  if (missing === 0) return;
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, validity, 0, Math.ceil(rows / 64) * 8);
}

export const appendChunk = (appender: DuckDBAppender, chunk: DataChunk) =>
  appender.appendDataChunk(new DuckDBDataChunk(chunk));

/** Returns a copy of a column of doubles without NULL. */
export const doublesOf = (chunk: DataChunk, column: number): Float64Array =>
  doublesIn(duckdb.data_chunk_get_vector(chunk, column), duckdb.data_chunk_get_size(chunk));

/** Returns a copy of a column of lists of doubles without NULL: the list of a row is in `values`, from `start(row)` on. */
export function doubleListsOf(chunk: DataChunk, column: number) {
  const vector = duckdb.data_chunk_get_vector(chunk, column);
  const words = duckdb.data_chunk_get_size(chunk) * 4; // a start and a length for each row, with 64 bits each
  const bytes = duckdb.vector_get_data(vector, words * 4);
  const entries = new Uint32Array(bytes.buffer, bytes.byteOffset, words);
  return {
    values: doublesIn(duckdb.list_vector_get_child(vector), duckdb.list_vector_get_size(vector)),
    start: (row: number) => entries[row * 4]!,
    length: (row: number) => entries[row * 4 + 2]!,
  };
}

function doublesIn(vector: Vector, count: number): Float64Array {
  const bytes = duckdb.vector_get_data(vector, count * 8);
  return new Float64Array(bytes.buffer, bytes.byteOffset, count);
}
