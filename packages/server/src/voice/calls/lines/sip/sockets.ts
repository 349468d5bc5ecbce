import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { guardedLookup, OutboundFailure, type PrivateAddresses, refusalOf } from "../../../../base/net/outbound.ts";
import type { Hop, SignallingSocket, Transport } from "./signalling-socket.ts";
import { openStreamSocket } from "./stream-socket.ts";

const PORT_MIN = 20_000;
const PORT_MAX = 60_000;
const BINDS_MAX = 50;

/** Rejects with an `OutboundFailure` when the service may not call the address. */
export function addressOf(host: string, privateAddresses: PrivateAddresses): Promise<string> {
  return new Promise((found, failed) => {
    guardedLookup(privateAddresses)(host, { family: 4 }, (error, address) => {
      if (error) failed(error);
      else found(address as string);
    });
  });
}

export function refuseAddress(address: string, privateAddresses: PrivateAddresses): void {
  const fault = refusalOf(address, privateAddresses);
  if (fault) throw new OutboundFailure(fault, address);
}

/** Returns the address of this machine from which packets to an address are sent. */
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

/** Binds one socket to an even port, or two sockets to an even port and the next port. RTP and RTCP use such pairs. */
async function bindSockets(address: string, count: 1 | 2): Promise<Socket[]> {
  for (let left = BINDS_MAX; ; left--) {
    const port = randomInt(PORT_MIN / 2, PORT_MAX / 2) * 2;
    const sockets = Array.from({ length: count }, () => createSocket("udp4"));
    try {
      for (const [at, socket] of sockets.entries()) {
        // A fixed port remains the same when the socket is connected and disconnected. A port that the system chooses may change.
        socket.bind({ address, port: port + at, exclusive: true });
        await once(socket, "listening");
      }
      return sockets;
    } catch (error) {
      for (const socket of sockets) socket.close();
      if (left === 0) throw error;
    }
  }
}

/** `host` is the name of the hop, for which a TLS certificate must be valid. */
type SignallingPeer = { hop: Hop; host: string; transport: Transport };

export type CallSockets = { signalling: SignallingSocket; sound: Socket; control: Socket };

export async function openSockets({ hop, host, transport }: SignallingPeer): Promise<CallSockets> {
  const address = await ownAddressFor(hop);
  const [sound, control] = (await bindSockets(address, 2)) as [Socket, Socket];
  // Packets that the system cannot send are lost, as on any network.
  for (const socket of [sound, control]) socket.on("error", () => {});
  try {
    const signalling =
      transport === "udp" ? await openDatagrams(address, hop) : await openStreamSocket(hop, host, transport);
    return { signalling, sound, control };
  } catch (error) {
    sound.close();
    control.close();
    throw error;
  }
}

async function openDatagrams(address: string, hop: Hop): Promise<SignallingSocket> {
  const [socket] = (await bindSockets(address, 1)) as [Socket];
  socket.connect(hop.port, hop.address);
  await once(socket, "connect");
  return signallingSocket(socket, hop);
}

/**
 * Only a connected socket gets an error when nothing listens at the address. The socket is disconnected when a message is sent to another
 * address, such as one in the other side's answer.
 */
function signallingSocket(socket: Socket, hop: Hop): SignallingSocket {
  let isConnected = true;
  let isOpen = true;
  const admitAll = () => {
    if (isOpen && isConnected) socket.disconnect();
    isConnected = false;
  };
  socket.unref();
  return {
    transport: "udp",
    own: { address: socket.address().address, port: socket.address().port },
    send(bytes, { address, port }) {
      if (!isOpen) return;
      if (address !== hop.address || port !== hop.port) admitAll();
      if (isConnected) socket.send(bytes, () => {});
      else socket.send(bytes, port, address, () => {});
    },
    onMessage: (receive) =>
      void socket.on("message", (datagram, { address, port }) => receive(datagram, { address, port })),
    admitAll,
    onUnreachable: (receive) => void socket.on("error", receive),
    close() {
      if (!isOpen) return;
      isOpen = false;
      socket.close();
    },
  };
}
