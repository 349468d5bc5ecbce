import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import S3rver from "@20minutes/s3rver";
import { until } from "./until.ts";
import { freePort } from "./worker-service.ts";

const BUCKET = "recordings-of-acme";

/** A program with the command line of versitygw that the specs use instead of the small S3 server. */
const PROGRAM = process.env.SPEC_S3_PROGRAM;

/** The key that the server accepts. */
const KEY = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

export type ObjectStore = Awaited<ReturnType<typeof openObjectStore>>;

/** Starts an S3 server with one bucket, and gives specs access to the bucket without the service. */
export async function openObjectStore() {
  const directory = mkdtempSync(join(tmpdir(), "svc-s3-"));
  let server = await start(0);
  const { port } = server;
  const endpoint = `http://127.0.0.1:${port}`;
  const outside = new AwsClient({ ...KEY, service: "s3", region: "us-east-1", retries: 0 });

  async function start(wantedPort: number) {
    if (PROGRAM !== undefined) return startProgram(PROGRAM, wantedPort);
    const options = { address: "127.0.0.1", port: wantedPort, silent: true, directory };
    const s3 = new S3rver({ ...options, configureBuckets: [{ name: BUCKET }] });
    const { port } = await s3.run();
    const stop = () => {
      s3.httpServer.close();
      s3.httpServer.closeAllConnections();
    };
    return { port, stop };
  }

  async function startProgram(program: string, wantedPort: number) {
    const port = wantedPort || (await freePort());
    mkdirSync(join(directory, BUCKET), { recursive: true });
    const keys = ["--access", KEY.accessKeyId, "--secret", KEY.secretAccessKey];
    const child = spawn(program, ["--port", `127.0.0.1:${port}`, ...keys, "posix", directory], { stdio: "ignore" });
    await until("the S3 server listens", () => fetch(`http://127.0.0.1:${port}/`).then(() => true));
    return { port, stop: () => void child.kill("SIGKILL") };
  }

  async function ask(method: string, path: string, body?: Buffer) {
    const answer = await outside.fetch(`${endpoint}/${BUCKET}${path}`, {
      method,
      ...(body && { body: new Uint8Array(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${bytes}`);
    return bytes;
  }

  return {
    endpoint,
    settings: {
      SVC_S3_ENDPOINT: endpoint,
      SVC_S3_BUCKET: BUCKET,
      SVC_S3_ACCESS_KEY_ID: KEY.accessKeyId,
      SVC_S3_SECRET_ACCESS_KEY: KEY.secretAccessKey,
    },
    async names(): Promise<string[]> {
      const listing = (await ask("GET", "?list-type=2")).toString();
      return [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name]) => name!);
    },
    bytesOf: (name: string) => ask("GET", `/${name}`),
    put: (name: string, bytes: Buffer) => ask("PUT", `/${name}`, bytes),
    remove: (name: string) => ask("DELETE", `/${name}`),
    /** Stops the server, and keeps its objects. */
    goAway: () => server.stop(),
    async comeBack(): Promise<void> {
      server = await start(port);
    },
    close(): void {
      server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
