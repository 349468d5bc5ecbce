#!/usr/bin/env node
import { existsSync } from "node:fs";
import { enableCompileCache, registerHooks } from "node:module";

const SOURCE = new URL("../src/main/program.ts", import.meta.url);
const fromSource = existsSync(SOURCE);

// In the folder of NODE_COMPILE_CACHE, which the service's threads use too.
enableCompileCache();
if (fromSource) {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, "svc-source"] }),
  });
}
const { runServerProgram } = await import(fromSource ? SOURCE.href : "../dist/main/program.js");
const exitCode = await runServerProgram(process.argv.slice(2), process.env);
if (exitCode !== undefined) process.exitCode = exitCode;
