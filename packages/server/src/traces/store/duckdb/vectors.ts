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
