/** The addresses of pages of the web interface to which mails, devices and the command line lead. */
export const PAGES = {
  claim: "/claim",
  signIn: "/sign-in",
  device: "/device",
  invitation: "/invitation",
  reset: "/reset",
} as const;

/** Returns the address of the page that accepts an invitation or sets a new password with a one-time token. */
export const tokenPage = (serviceUrl: string, page: "invitation" | "reset", token: string): string =>
  `${serviceUrl}${PAGES[page]}/${encodeURIComponent(token)}`;
