/** An IPv4 address and port. */
export type Hop = { address: string; port: number };

/** The socket of a call's signalling. */
export type SignallingSocket = {
  /** Our own address, as the other side reaches it. */
  own: Hop;
  send: (bytes: Buffer, to: Hop) => void;
  onMessage: (receive: (datagram: Buffer, from: Hop) => void) => void;
  /** The system reports that nothing listens at the address. */
  onUnreachable: (receive: () => void) => void;
  close: () => void;
};
