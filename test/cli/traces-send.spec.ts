import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Trace, type TraceSummary } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";
import { exportOf } from "../support/one-turn-export.ts";

type Sent = {
  acceptedSpans: number;
  rejectedSpans: number;
  files: { file: string; spans: number }[];
  refused: { file: string; reason: string }[];
  skipped: string[];
};

const CAPTURES = fileURLToPath(new URL("../fixtures/otlp-captures", import.meta.url));
const VOICE = join(CAPTURES, "js-1.9.0-voice");

let server: SharedServer;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});

afterAll(async () => {
  await server?.stop();
  home?.remove();
});

/** Lists the conversations after the service has read all spans. */
async function traces(): Promise<TraceSummary[]> {
  await server.conversationsRead();
  return (await home.json<{ items: TraceSummary[] }>(["traces", "list", "--limit", "100"])).items;
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(home.folder, name);
  writeFileSync(path, content);
  return path;
}

describe("send", () => {
  test("`traces send` sends the exports of a folder and skips other files; a repeated `send` stores nothing twice", async () => {
    const { exitCode, stdout, stderr } = await home.svc(["traces", "send", VOICE]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const [, files, spans, others] =
      /Sent (\d+) files: (\d+) spans accepted, 0 rejected\. Skipped (\d+) files without an export\./
        .exec(stdout)!
        .map(Number);
    expect([files! > 0, others! > 0]).toEqual([true, true]);
    const [trace] = await until("the conversation", async () => ((await traces()).length > 0 ? traces() : undefined));
    expect(spans! % trace!.spanCount).toBe(0);
    expect((await home.svc(["traces", "send", VOICE])).exitCode).toBe(0);
    const { spans: stored } = await home.json<Trace>(["traces", "show", trace!.traceId]);
    expect(stored.length).toBe(trace!.spanCount);
  });

  test("`traces send` recognizes protobuf, JSON and gzip by the content of a file, not by its name", async () => {
    const json = exportOf("11".repeat(16), "By content.");
    const paths = [
      write("a.txt", json),
      write("b.txt", `\n \n${json}`),
      write("c.txt", gzipSync(json)),
      write("d.txt", readFileSync(join(VOICE, "voice-000.bin"))),
      write("e.txt", gzipSync(readFileSync(join(VOICE, "voice-000.bin")))),
    ];
    const sent = await home.json<Sent>(["traces", "send", ...paths]);
    const inBin = sent.files.at(-1)!.spans;
    expect(inBin).toBeGreaterThan(0);
    expect(sent.files.map(({ spans }) => spans)).toEqual([1, 1, 1, inBin, inBin]);
    expect(sent.acceptedSpans).toBe(3 + 2 * inBin);
  });

  test("`traces send` counts rejected spans in both encodings, and exits with 1", async () => {
    const noTime = exportOf("22".repeat(16), "No start.", { startTimeUnixNano: "0" });
    // The body of one span whose trace id is 16 zero bytes, as nested protobuf fields: resource spans, scope spans, span.
    const span = Buffer.from([0x0a, 16, ...Buffer.alloc(16), 0x12, 8, ...Buffer.alloc(8, 1)]);
    const nested = (tag: number, bytes: Buffer) => Buffer.from([tag, bytes.length, ...bytes]);
    const protobuf = nested(0x0a, nested(0x12, nested(0x12, span)));
    for (const path of [write("bad.json", noTime), write("bad.bin", protobuf)]) {
      const { exitCode, stdout, stderr } = await home.svc(["traces", "send", path]);
      expect([exitCode, stdout]).toEqual([1, "Sent 1 file: 0 spans accepted, 1 rejected.\n"]);
      expect(stderr).toMatch(/Rejected 1 of 1 spans: 1 /);
    }
  });

  test("`traces send` continues after a file that is not an export, and exits with 1", async () => {
    const paths = [
      write("empty.bin", ""),
      write("torn.gz", gzipSync(exportOf("33".repeat(16), "Torn.")).subarray(0, 40)),
      write("notes.md", "# Notes"),
      write("good.json", exportOf("33".repeat(16), "Good.")),
    ];
    const { exitCode, stdout, stderr } = await home.svc(["traces", "send", ...paths]);
    expect([exitCode, stdout]).toEqual([1, "Sent 1 file: 1 span accepted, 0 rejected.\n"]);
    expect(stderr).toMatch(
      /empty\.bin was not sent: is empty\.\n.*torn\.gz was not sent: is damaged gzip\.\n.*notes\.md was not sent: is not an OTLP trace export/,
    );
  });

  test("`traces send` refuses a file that inflates beyond the limit before it is sent", async () => {
    const { exitCode, stderr } = await home.svc([
      "traces",
      "send",
      write("bomb.gz", gzipSync(Buffer.alloc(21 * 1024 * 1024))),
    ]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("inflates to more than 20 MiB")]);
  });

  test.each(["voice-000.bin", "voice-000.bin.gz"])(
    "`traces send` refuses to send %s with an organization key, and says which key to create",
    async (name) => {
      const { exitCode, stderr } = await home.svc(["traces", "send", join(VOICE, name)], {
        env: { SVC_API_KEY: server.adminKey },
      });
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/project-scoped key.*`svc keys create --permissions ingest --project NAME`/),
      ]);
    },
  );

  test("`traces send` refuses a command line without files, and a folder without an export", async () => {
    mkdirSync(join(home.folder, "none"), { recursive: true });
    const none = await home.svc(["traces", "send", join(home.folder, "none")]);
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining("There is no file to send.")]);
    writeFileSync(join(home.folder, "none", "notes.txt"), "Buy bread.");
    const foreign = await home.svc(["traces", "send", join(home.folder, "none")]);
    expect([foreign.exitCode, foreign.stdout]).toEqual([
      1,
      expect.stringContaining("Skipped 1 file without an export. Name files or folders that an OpenTelemetry exporter"),
    ]);
    const missing = await home.svc(["traces", "send", "/nowhere.bin"]);
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringContaining("/nowhere.bin does not exist. Check the path."),
    ]);
  });

  test("`traces send` tries again after the time that a busy service states", async () => {
    let asked = 0;
    const busy = createServer((request, response) => {
      asked += 1;
      request.resume().on("end", () => {
        const answers =
          asked > 1
            ? { status: 200, body: "{}" }
            : { status: 503, body: '{"error": "unavailable", "message": "Full."}' };
        response
          .writeHead(answers.status, { "content-type": "application/json", "retry-after": "1" })
          .end(answers.body);
      });
    });
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
      const { exitCode } = await home.svc([
        "traces",
        "send",
        "--url",
        url,
        write("one.json", exportOf("44".repeat(16), "Again.")),
      ]);
      expect([exitCode, asked]).toEqual([0, 2]);
    } finally {
      await new Promise((resolve) => busy.close(resolve));
    }
  });
});
