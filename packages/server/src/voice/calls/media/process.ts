import type { CallEvent } from "../call.ts";
import { type CallInProgress, placeCall } from "./call-in-progress.ts";
import { ALIVE_EVERY_MS, type FromMedia, type ToMedia } from "./messages.ts";

// Runs calls for the service that started it, and ends when that service ends.

const calls = new Map<string, CallInProgress>();

const tell = (message: FromMedia) => {
  if (process.connected) process.send!(message);
};

function report(callId: string, event: CallEvent): void {
  if (event.kind === "ended") calls.delete(callId);
  tell({ kind: "event", callId, event });
}

process.on("message", (message: ToMedia) => {
  switch (message.kind) {
    case "place": {
      const { order } = message;
      calls.set(
        order.callId,
        placeCall(
          order,
          (event) => report(order.callId, event),
          (stack) => tell({ kind: "fault", stack }),
        ),
      );
      return;
    }
    case "say":
      return calls.get(message.callId)?.say(message.samples);
    case "press":
      return calls.get(message.callId)?.press(message.keys);
    case "hang_up":
      return calls.get(message.callId)?.hangUp();
  }
});

setInterval(() => tell({ kind: "alive", residentBytes: process.memoryUsage.rss() }), ALIVE_EVERY_MS);

process.on("disconnect", () => process.exit(0));
process.on("uncaughtException", ({ stack = "" }) => {
  process.send?.({ kind: "fault", stack } satisfies FromMedia, () => process.exit(1));
});
// A terminal sends its signals to the whole process group. They are ignored here, because the service ends the calls in order.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
