import { connect, createServer, type AddressInfo } from "node:net";

/**
 * Opens a proxy in front of a server. While `cutAfterBytes` is set, the proxy cuts each connection after this many bytes of a
 * request.
 */
export async function openCuttingProxy(targetPort: number) {
  const state: { cutAfterBytes: number | undefined; cuts: number } = { cutAfterBytes: undefined, cuts: 0 };
  const server = createServer((socket) => {
    const upstream = connect(targetPort, "127.0.0.1");
    const end = () => (socket.destroy(), upstream.destroy());
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      if (state.cutAfterBytes === undefined || bytes <= state.cutAfterBytes) return void upstream.write(chunk);
      state.cuts++;
      end();
    });
    upstream.pipe(socket);
    for (const side of [socket, upstream]) side.once("error", end).once("close", end);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { endpoint: `http://127.0.0.1:${port}`, close: () => void server.close() });
}
