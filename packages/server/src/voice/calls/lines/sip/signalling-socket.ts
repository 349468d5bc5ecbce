/** IPv4 address and port. */
export type Hop = { address: string; port: number };

export type Transport = "udp" | "tcp" | "tls";

export type SignallingSocket = {
  transport: Transport;
  /** The address of this side, as the other side reaches it. */
  own: Hop;
  /** Over TCP and TLS, sends over the one connection of the call, whatever address the message is for. */
  send: (bytes: Buffer, to: Hop) => void;
  onMessage: (receive: (message: Buffer, from: Hop) => void) => void;
  /** Takes messages from any port and address over UDP, and not only from the other side that the socket was opened for. */
  admitAll: () => void;
  /** Sets the handler for the case that nothing listens at the other side's address, or that the connection is lost. */
  onUnreachable: (receive: () => void) => void;
  close: () => void;
};

export const DEFAULT_PORTS: Record<Transport, number> = { udp: 5_060, tcp: 5_060, tls: 5_061 };
