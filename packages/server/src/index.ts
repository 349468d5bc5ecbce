export { type App, type AppOptions, openApp } from "./main/app.ts";
export { type Config, readConfig } from "./base/config/config.ts";
export { listen } from "./main/listen.ts";
export { type Log, createLog } from "./base/log/log.ts";
export { main } from "./main/main.ts";
export { type OwnerReset, resetOwner } from "./main/reset-owner.ts";
