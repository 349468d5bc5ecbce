import { type ChildProcess, fork } from "node:child_process";
import { startOf } from "../../../assets.ts";

/**
 * Starts a media process. It reads no setting and no credential from the environment. The output of native code is dropped, because
 * it repeats texts of media servers; a fault of ours comes as a message.
 */
export function startMediaProcess(): ChildProcess {
  const { file, execArgv, env } = startOf("media-process");
  return fork(file, [], { serialization: "advanced", execArgv, env, stdio: ["ignore", "ignore", "ignore", "ipc"] });
}
