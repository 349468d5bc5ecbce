import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../until.ts";

/** A real media server of platform_b on this machine. */
export type MediaServerProcess = {
  pid: number;
  url: string;
  apiKey: string;
  apiSecret: string;
  /** The log of the server, which contains the names of the rooms that exist. */
  log: () => string;
  stop: () => Promise<void>;
};

const KEY = "development-key";
const SECRET = "secretsecretsecretsecretsecretsecret";

/** Starts the media server. Its program is the path in `SVC_TEST_MEDIA_SERVER`. */
export async function startMediaServer(): Promise<MediaServerProcess> {
  const program = process.env.SVC_TEST_MEDIA_SERVER;
  if (program === undefined || !existsSync(program))
    throw new Error(
      "Set SVC_TEST_MEDIA_SERVER to the program livekit-server 1.11. CONTRIBUTING.md says how to build it from its Go module.",
    );
  const [port, tcpPort, udpPort] = [await freePort(), await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), "svc-media-server-"));
  const settings = {
    port,
    bind_addresses: ["127.0.0.1"],
    rtc: {
      tcp_port: tcpPort,
      udp_port: udpPort,
      use_external_ip: false,
      node_ip: "127.0.0.1",
      interfaces: { includes: ["lo"] },
      enable_loopback_candidate: true,
    },
    keys: { [KEY]: SECRET },
    logging: { level: "info" },
  };
  // Every JSON text is also YAML.
  writeFileSync(join(folder, "livekit.yaml"), JSON.stringify(settings));
  const server: ChildProcess = spawn(program, ["--config", join(folder, "livekit.yaml")]);
  const lines: string[] = [];
  for (const stream of [server.stdout!, server.stderr!]) stream.on("data", (data: Buffer) => lines.push(String(data)));
  await until("the media server answers", () => fetch(`http://127.0.0.1:${port}`).then(({ ok }) => ok));
  return {
    pid: server.pid!,
    url: `ws://127.0.0.1:${port}`,
    apiKey: KEY,
    apiSecret: SECRET,
    log: () => lines.join(""),
    async stop() {
      const exited = once(server, "exit");
      server.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
