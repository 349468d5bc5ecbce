import { createTransport } from "nodemailer";

const TIMEOUT_MS = 20_000;

export type Mail = {
  /** Resolves when the server has accepted the message, else rejects. */
  send: (message: { to: string; subject: string; text: string }) => Promise<void>;
};

export function createMail({ smtpUrl, mailFrom }: { smtpUrl: string | undefined; mailFrom: string | undefined }) {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const mail: Mail = {
    async send({ to, subject, text }) {
      await transport.sendMail({ from: mailFrom, to: { name: "", address: to }, subject, text });
    },
  };
  return mail;
}
