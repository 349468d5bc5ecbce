import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { guardedLookup, OutboundFailure, type PrivateAddresses, refusalOf } from "../../../../base/net/outbound.ts";
import type { Hop, SignallingSocket } from "./signalling.ts";

const PORT_MIN = 20_000;
const PORT_MAX = 60_000;
const BINDS_MAX = 50;

/** Returns the IPv4 address of a host; rejects with an `OutboundFailure` when the service does not call it. */
export function addressOf(host: string, privateAddresses: PrivateAddresses): Promise<string> {
  return new Promise((found, failed) => {
    guardedLookup(privateAddresses)(host, { family: 4 }, (error, address) => {
      if (error) failed(error);
      else found(address as string);
    });
  });
}

/** Refuses an address to which the service sends no sound. */
export function refuseAddress(address: string, privateAddresses: PrivateAddresses): void {
  const fault = refusalOf(address, privateAddresses);
  if (fault) throw new OutboundFailure(fault, address);
}

/** Returns the address of this machine from which an address is reached. */
async function ownAddressFor({ address, port }: Hop): Promise<string> {
  const probe = createSocket("udp4");
  try {
    probe.connect(port, address);
    await once(probe, "connect");
    return probe.address().address;
  } finally {
    probe.close();
  }
}

/** Binds a socket to an even port, so that it keeps its port when it is connected and disconnected. */
async function bindSocket(address: string): Promise<Socket> {
  for (let left = BINDS_MAX; ; left--) {
    const socket = createSocket("udp4");
    try {
      socket.bind({ address, port: randomInt(PORT_MIN / 2, PORT_MAX / 2) * 2, exclusive: true });
      await once(socket, "listening");
      return socket;
    } catch (error) {
      socket.close();
      if (left === 0) throw error;
    }
  }
}

/** The sockets of one call: for its signalling and its sound. */
export type CallSockets = { signalling: SignallingSocket; sound: Socket };

/** Opens the sockets of a call towards an address that the service may call. */
export async function openSockets(hop: Hop): Promise<CallSockets> {
  const address = await ownAddressFor(hop);
  const [signalling, sound] = await Promise.all([bindSocket(address), bindSocket(address)]);
  // Packets that the system cannot send are lost, as on any network.
  sound.on("error", () => {});
  signalling.connect(hop.port, hop.address);
  await once(signalling, "connect");
  return { signalling: signallingSocket(signalling, hop), sound };
}

/**
 * Only a connected socket learns that nothing listens at the address. It is disconnected when the other side names a second address
 * in its answer.
 */
function signallingSocket(socket: Socket, hop: Hop): SignallingSocket {
  let isConnected = true;
  let isOpen = true;
  socket.unref();
  return {
    own: { address: socket.address().address, port: socket.address().port },
    send(bytes, { address, port }) {
      if (!isOpen) return;
      if (isConnected && (address !== hop.address || port !== hop.port)) {
        socket.disconnect();
        isConnected = false;
      }
      if (isConnected) socket.send(bytes, () => {});
      else socket.send(bytes, port, address, () => {});
    },
    onMessage: (receive) =>
      void socket.on("message", (datagram, { address, port }) => receive(datagram, { address, port })),
    onUnreachable: (receive) => void socket.on("error", receive),
    close() {
      if (!isOpen) return;
      isOpen = false;
      socket.close();
    },
  };
}
