// Runs ClickHouse's engine behind the part of ClickHouse's HTTP interface that the official client uses:
// `clickhouse-process.ts ENGINE DATA PORT`. Prints its address when it is ready. Only specs use this program.
import { unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

type Session = { queryAsync: (sql: string, options: { format: string }) => Promise<{ bytes: () => Uint8Array }> };
type Engine = { Session: new (folder: string) => Session };

const [engine, data, port] = process.argv.slice(2) as [string, string, string];
const { Session } = createRequire(import.meta.url)(engine) as Engine;
const session = new Session(join(data, "engine"));
let files = 0;

/** Settings with which an INSERT stores the rows of its body together, as a ClickHouse server stores a block. */
const ONE_BLOCK = [
  "max_insert_block_size = 10000000",
  "min_insert_block_size_rows = 10000000",
  "min_insert_block_size_bytes = 4000000000",
];
/** Query parameters of a request that are not settings of its statement. */
const OF_HTTP = new Set(
  "query query_id database session_id user password role enable_http_compression default_format compress wait_end_of_query async_insert wait_for_async_insert date_time_input_format max_query_size".split(
    " ",
  ),
);

async function run(parameters: URLSearchParams, body: Buffer): Promise<{ answer: Uint8Array; format: string }> {
  const settings: string[] = [];
  const values = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (name.startsWith("param_")) values.set(name.slice("param_".length), value);
    else if (!OF_HTTP.has(name)) settings.push(`${name} = ${/^-?\d+$/.test(value) ? value : quoted(value)}`);
  }
  const inAddress = parameters.get("query");
  const sql = (inAddress ?? body.toString()).trim().replace(/;$/, "");
  const insert = /^INSERT\s+INTO\s+([^]+?)\s+FORMAT\s+(\w+)$/i.exec(sql);
  if (insert && inAddress !== null) {
    await insertFile(insert[1]!, insert[2]!, body, settings);
    return { answer: Buffer.alloc(0), format: insert[2]! };
  }
  const [, text, format = "TabSeparated"] = /^([^]*?)(?:\s+FORMAT\s+(\w+))?$/i.exec(sql)!;
  const bound = text!.replace(/\{(\w+):\s*([^{}]+)\}/g, (_, name: string, type: string) =>
    // The client has already escaped the text of the value.
    type.startsWith("Array") ? `CAST(${values.get(name)} AS ${type})` : `'${values.get(name)!}'::${type}`,
  );
  const takesSettings = settings.length > 0 && /^(SELECT|WITH|INSERT|ALTER)\b/i.test(bound);
  const result = await session.queryAsync(takesSettings ? `${bound} SETTINGS ${settings.join(", ")}` : bound, {
    format,
  });
  return { answer: result.bytes(), format };
}

/** Inserts a body through a file, because the engine truncates binary data in a statement. */
async function insertFile(into: string, format: string, body: Buffer, settings: readonly string[]): Promise<void> {
  const file = join(data, `body-${files++}`);
  writeFileSync(file, body);
  const options = [...ONE_BLOCK, ...settings].join(", ");
  try {
    await session.queryAsync(`INSERT INTO ${into} SELECT * FROM file('${file}', ${format}) SETTINGS ${options}`, {
      format: "Null",
    });
  } finally {
    unlinkSync(file);
  }
}

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, "http://localhost");
  if (pathname === "/ping") return void response.end("Ok.\n");
  try {
    const sent = await buffer(request);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
    const { answer, format } = await run(searchParams, body);
    response.writeHead(200, {
      "x-clickhouse-query-id": searchParams.get("query_id") ?? "",
      "x-clickhouse-summary": "{}",
      "x-clickhouse-format": format,
    });
    response.end(answer);
  } catch (error) {
    const message = (error as Error).message.replace(/^[^]*?(Code: \d+)/, "$1");
    const code = /^Code: (\d+)/.exec(message)?.[1] ?? "1002";
    response.writeHead(500, { "x-clickhouse-exception-code": code });
    response.end(`${message} (version 26.7)\n`);
  }
});
server.listen(Number(port), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
