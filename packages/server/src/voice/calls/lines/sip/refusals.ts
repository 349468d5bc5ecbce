import type { createAnswers } from "./answers.ts";
import type { Header, SipMessage } from "./message.ts";
import { type Retransmission, retransmit, TIMERS } from "./retransmission.ts";
import type { Hop, SignallingSocket } from "./signalling-socket.ts";

/** Refusals beyond this number are sent only once, so that a flood of calls cannot make the service send more and more. */
const REPEATED_MAX = 16;

/** Refuses calls. Sends each response until the caller acknowledges it (RFC 3261, section 17.2.1). */
export function createRefusals(socket: SignallingSocket, answers: ReturnType<typeof createAnswers>) {
  const repeated = new Map<string, Retransmission>();
  const acknowledged = (branch: string) => {
    repeated.get(branch)?.stop();
    repeated.delete(branch);
  };
  return {
    refuse(invite: SipMessage, to: Hop, status: number, more: readonly Header[] = []): void {
      const { branch } = invite;
      const bytes = answers.write(invite, status, "", more);
      const send = () => socket.send(bytes, to);
      if (repeated.size >= REPEATED_MAX) return send();
      const late = () => void repeated.delete(branch);
      repeated.set(branch, retransmit(send, TIMERS.t2Ms, late, socket.transport !== "udp"));
    },
    acknowledged,
    stop: () => [...repeated.keys()].forEach(acknowledged),
  };
}
