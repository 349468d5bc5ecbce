import duckdb, { type DataChunk, type Vector } from "@duckdb/node-bindings";

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
