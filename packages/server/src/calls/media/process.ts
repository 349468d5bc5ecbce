import type { CallEvent } from "../call.ts";
import { type CallInProgress, placeCall } from "./call-in-progress.ts";
import type { FromMedia, ToMedia } from "./messages.ts";

const calls = new Map<string, CallInProgress>();

function report(callId: string, event: CallEvent): void {
  if (event.kind === "ended") calls.delete(callId);
  const message: FromMedia = { callId, event, residentBytes: process.memoryUsage.rss() };
  process.send!(message);
}

process.on("message", (message: ToMedia) => {
  switch (message.kind) {
    case "place": {
      const { order } = message;
      calls.set(
        order.callId,
        placeCall(order, (event) => report(order.callId, event)),
      );
      return;
    }
    case "say":
      return calls.get(message.callId)?.say(message.samples);
    case "hang_up":
      return calls.get(message.callId)?.hangUp();
  }
});

// The service is gone: nobody waits for the calls any more.
process.on("disconnect", () => process.exit(0));
