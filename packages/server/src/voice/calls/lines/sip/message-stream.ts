/** Limits of one message over TCP or TLS. They are the largest sizes of a datagram. */
const HEADER_BYTES_MAX = 32_768;
const BODY_BYTES_MAX = 32_768;
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*$/im;
const END = Buffer.from("\r\n\r\n");

/**
 * Splits the bytes of a connection into messages by their Content-Length (RFC 3261, section 18.3). `push` returns false when the bytes are
 * no messages or a message is too large: nothing after that can be read.
 */
export function createMessageStream(receive: (message: Buffer) => void): { push: (bytes: Buffer) => boolean } {
  let unread = Buffer.alloc(0);
  /** Bytes of the message at the beginning of `unread`; undefined while its header is incomplete. */
  let length: number | undefined;

  /** Empty lines between messages keep a connection open. */
  function skipLines(): void {
    let at = 0;
    while (unread[at] === 13 || unread[at] === 10) at++;
    unread = unread.subarray(at);
  }

  return {
    push(bytes) {
      unread = Buffer.concat([unread, bytes]);
      for (;;) {
        if (length === undefined) {
          skipLines();
          const end = unread.indexOf(END);
          if (end < 0) return unread.length <= HEADER_BYTES_MAX;
          const written = CONTENT_LENGTH.exec(unread.toString("latin1", 0, end))?.[1];
          if (end > HEADER_BYTES_MAX || written === undefined || Number(written) > BODY_BYTES_MAX) return false;
          length = end + END.length + Number(written);
        }
        if (unread.length < length) return true;
        receive(unread.subarray(0, length));
        unread = unread.subarray(length);
        length = undefined;
      }
    },
  };
}
