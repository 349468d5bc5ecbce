import { registerHooks } from "node:module";

// With `--import` of this file, a program uses the oldest supported version of the platform's package.
registerHooks({
  resolve(specifier, context, nextResolve) {
    const oldest = specifier.replace(/^@livekit\/agents(?=$|\/)/, "livekit-agents-oldest");
    return nextResolve(oldest, context);
  },
});
