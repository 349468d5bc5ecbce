import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** A message that the SMTP server received: its envelope and its unchanged text. */
type ReceivedMail = { from: string; to: string[]; data: string };

/** Starts an SMTP server (RFC 5321) that takes every message, unless `answer` answers otherwise. */
export async function startSmtp(answer: (mail: ReceivedMail) => string = () => "250 taken") {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    serve(socket, (mail) => {
      mails.push(mail);
      return answer(mail);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    mailsTo: (address: string) => mails.filter(({ to }) => to.includes(address)),
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: Socket, take: (mail: ReceivedMail) => string): void {
  let mail: ReceivedMail = { from: "", to: [], data: "" };
  let rest = "";
  let inData = false;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const addressIn = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? "";

  function hear(line: string): void {
    if (inData) {
      if (line !== ".") {
        mail.data += `${line.startsWith("..") ? line.slice(1) : line}\n`;
        return;
      }
      inData = false;
      say(take(mail));
      mail = { from: "", to: [], data: "" };
      return;
    }
    const command = line.slice(0, 4).toUpperCase();
    if (command === "EHLO" || command === "HELO") say("250 spec");
    else if (command === "MAIL") {
      mail.from = addressIn(line);
      say("250 ok");
    } else if (command === "RCPT") {
      mail.to.push(addressIn(line));
      say("250 ok");
    } else if (command === "DATA") {
      inData = true;
      say("354 go on");
    } else if (command === "QUIT") {
      say("221 bye");
      socket.end();
    } else say("250 ok");
  }

  say("220 spec");
  socket.on("data", (chunk) => {
    rest += chunk.toString("utf8");
    for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      hear(line);
    }
  });
}
