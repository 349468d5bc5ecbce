// Serves one data folder after another in one process. Each log message names the data folder's opening to which it belongs.
import type { AppOptions, Log } from "@svc/server";
import { listen, openApp, readConfig } from "@svc/server";

export type HostRequest =
  | { open: number; settings: Record<string, string>; dataDir: string; options: AppOptions }
  | { close: number };
export type HostEvent =
  | { serves: number; url: string }
  | { refused: number; message: string }
  | { closed: number }
  | { logs: number; line: Record<string, unknown> };

const tell = (event: HostEvent) => void process.send!(event);
let end: () => Promise<void> = () => Promise.resolve();

const textOf = (value: unknown) => (value instanceof Error ? value.stack : value);

function logOf(opening: number): Log {
  const at =
    (level: string) =>
    (first: unknown, text?: string): void => {
      const members = typeof first === "string" ? { msg: first } : { ...(first as object), msg: text };
      const line = Object.entries<unknown>(members).map(([name, value]) => [name, textOf(value)]);
      tell({ logs: opening, line: { ...Object.fromEntries(line), level } });
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

async function open({ open: opening, settings, dataDir, options }: Extract<HostRequest, { open: number }>) {
  try {
    const config = readConfig({ PORT: "0", ...settings, SVC_DATA_DIR: dataDir });
    const app = await openApp(config, logOf(opening), options);
    const { url, stop } = await listen(app.handle, config.port, config.host);
    app.listeningAt(url);
    end = async () => {
      app.beginStop();
      await stop();
      await app.close();
    };
    tell({ serves: opening, url });
  } catch (error) {
    tell({ refused: opening, message: (error as Error).message });
  }
}

process.umask(0o077);
process.on("message", (request: HostRequest) => {
  if ("open" in request) return void open(request);
  const closing = end();
  end = () => Promise.resolve();
  // The folder is deleted afterwards, so a failure to close a damaged folder does not matter.
  void closing.catch(() => undefined).then(() => tell({ closed: request.close }));
});
process.on("disconnect", () => process.exit(0));
