export { type App, type AppOptions, openApp } from "./app.ts";
export { type Config, readConfig } from "./config.ts";
export { listen } from "./listen.ts";
export { type Log, createLog } from "./log.ts";
export { main } from "./main.ts";
