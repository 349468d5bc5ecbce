declare module "inflation" {
  import type { IncomingMessage } from "node:http";
  import type { Readable } from "node:stream";

  /** The body of a request without its content encoding. */
  export default function inflate(request: IncomingMessage): Readable;
}
