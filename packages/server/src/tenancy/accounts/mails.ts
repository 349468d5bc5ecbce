import { tokenPage } from "@svc/contract";

type Text = { subject: string; text: string };

export function resetMail(serviceUrl: string, tokens: readonly { token: string; createdAt: string }[]): Text {
  const lines = tokens.map(({ token, createdAt }) => {
    const address = `  ${tokenPage(serviceUrl, "reset", token)}`;
    return tokens.length === 1 ? address : `${address}   account created on ${createdAt.slice(0, 10)}`;
  });
  return {
    subject: "Reset your svc password",
    text: `Someone asked for a new password for your address at ${serviceUrl}.

${tokens.length === 1 ? "Set it here, once, within one hour:" : "Set it here for each account of your address, once, within one hour:"}

${lines.join("\n")}

In a terminal, run the following and enter the last part of the address as the token:

  svc account reset-password --url ${serviceUrl}

If you did not ask for this, ignore this mail. Your password stays as it is.
`,
  };
}

export function invitationMail(
  serviceUrl: string,
  { organization, inviter, token, days }: { organization: string; inviter: string; token: string; days: number },
): Text {
  return {
    subject: "You are invited to an organization at svc",
    text: `${oneLine(inviter)} invites you to the organization "${oneLine(organization)}" at ${serviceUrl}.

Accept it here, once, within ${days} days:

  ${tokenPage(serviceUrl, "invitation", token)}

In a terminal, run the following and enter the last part of the address as the token:

  svc invitations accept --url ${serviceUrl}

If you do not know the sender, ignore this mail.
`,
  };
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
