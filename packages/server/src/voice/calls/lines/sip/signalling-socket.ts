/** IPv4 address and port. */
export type Hop = { address: string; port: number };

export type SignallingSocket = {
  /** The address of this side, as the other side reaches it. */
  own: Hop;
  send: (bytes: Buffer, to: Hop) => void;
  onMessage: (receive: (datagram: Buffer, from: Hop) => void) => void;
  /** Sets the handler for the case that nothing listens at the other side's address. */
  onUnreachable: (receive: () => void) => void;
  close: () => void;
};
