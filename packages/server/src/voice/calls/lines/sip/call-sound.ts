import type { PrivateAddresses } from "../../../../base/net/outbound.ts";
import { CallFailure } from "../../call.ts";
import { noEncoding, unusableSound } from "./endings.ts";
import { createRtpSound, type RtpSound } from "./rtp.ts";
import { readSdp, type RemoteSound, writeSdp } from "./sdp.ts";
import { type CallSockets, refuseAddress } from "./sockets.ts";

/** The sound of one call, as both sides describe and agree on it. */
export type CallSound = RtpSound & {
  codec: () => string | null;
  /** Returns the description with which the service offers its encodings. */
  offer: () => string;
  /** Takes a description of the other side. `signalling` is the address of its signalling. */
  take: (description: Buffer, signalling: string) => CallFailure | undefined;
  /** Takes a description of the other side, and returns the answer. An empty description changes nothing. */
  answer: (description: Buffer, signalling: string) => string | CallFailure;
};

export function createCallSound(
  sockets: CallSockets,
  privateAddresses: PrivateAddresses,
  pressed: (key: string) => void,
): CallSound {
  const rtp = createRtpSound(sockets, pressed);
  const { address } = sockets.signalling.own;
  const { port } = sockets.sound.address();
  let current: RemoteSound | undefined;
  let version = 1;

  function soundOf(description: Buffer): RemoteSound | CallFailure {
    const remote = readSdp(description);
    if (!remote) return noEncoding();
    try {
      if (remote.address !== "0.0.0.0") refuseAddress(remote.address, privateAddresses);
      return remote;
    } catch {
      return unusableSound();
    }
  }

  function take(description: Buffer, signalling: string): CallFailure | undefined {
    const agreed = description.length === 0 && current ? current : soundOf(description);
    if (agreed instanceof CallFailure) return agreed;
    current = agreed;
    rtp.use(agreed, signalling);
    return undefined;
  }

  return {
    ...rtp,
    codec: () => current?.codec ?? null,
    offer: () => writeSdp(address, port, version),
    take,
    answer: (description, signalling) => take(description, signalling) ?? writeSdp(address, port, ++version, current),
  };
}
