import type { Socket } from "node:net";

const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Sends one message: four bytes with its length, then its bytes. */
export function sendMessage(socket: Socket, message: Uint8Array): void {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(message.length);
  socket.write(Buffer.concat([head, message]));
}

/** Calls `receive` with each whole message; destroys the socket when a message is too large or `receive` throws. */
export function onMessages(socket: Socket, receive: (bytes: Uint8Array) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    length += part.length;
    while (length >= 4) {
      if (parts[0]!.length < 4) parts = [Buffer.concat(parts)];
      const needed = 4 + parts[0]!.readUInt32BE(0);
      if (needed > LARGEST_MESSAGE_BYTES) return void socket.destroy();
      if (length < needed) return;
      const all = Buffer.concat(parts);
      try {
        receive(all.subarray(4, needed));
      } catch {
        return void socket.destroy();
      }
      parts = [all.subarray(needed)];
      length -= needed;
    }
  });
}
