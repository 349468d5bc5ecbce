import { createClient } from "@svc/sdk";
import { afterAll, beforeAll } from "vitest";
import { openBareService } from "./bare-service.ts";
import { join, PASSWORD, type Person, signUp } from "./people.ts";
import { type Ask, send } from "./request.ts";
import { startSmtp } from "./smtp.ts";
import { until } from "./until.ts";

type World = {
  service: Awaited<ReturnType<typeof openBareService>>;
  smtp: Awaited<ReturnType<typeof startSmtp>>;
  acme: Person;
  globex: Person;
};

/** Opens a service with mail and the admins of two organizations, Acme and Globex, while the specs of a file run. */
export function useTwoOrganizations() {
  let world: World;
  let serial = 0;
  beforeAll(async () => {
    const smtp = await startSmtp();
    const service = await openBareService({
      SVC_OPEN_SIGNUP: "true",
      SVC_SMTP_URL: smtp.url,
      SVC_MAIL_FROM: "svc <svc@acme.test>",
    });
    const acme = await signUp(service.url, "admin@acme.test");
    const globex = await signUp(service.url, "admin@globex.test");
    world = { service, smtp, acme, globex };
  });
  afterAll(async () => {
    await world.service.stop();
    await world.smtp.stop();
  });

  const address = () => `person-${++serial}@acme.test`;
  const ask = (more: Partial<Ask> & { path: string }) => send(world.service.url, { method: "GET", ...more });
  return {
    get service() {
      return world.service;
    },
    get smtp() {
      return world.smtp;
    },
    get acme() {
      return world.acme;
    },
    get globex() {
      return world.globex;
    },
    address,
    ask,
    signIn: (email: string, password = PASSWORD, more: Record<string, unknown> = {}) =>
      ask({ method: "POST", path: "/api/auth/sign-in/email", json: { email, password, ...more } }),
    clientWith: (cookie: string) => createClient({ baseUrl: world.service.url, cookie, retries: 0 }),

    /** Signs a person up at Acme and makes them a member of Globex too. */
    async inBoth(role: "admin" | "member" | "viewer" = "member"): Promise<Person> {
      const person = await join(world.service.url, world.acme.client, address(), role);
      const { token } = await world.globex.client.invitations.create({ email: person.email, role });
      await person.client.invitations.accept({ token });
      return person;
    },

    /** Returns the tokens of the newest mail to the address, once `count` mails have arrived. */
    async mailedTokens(email: string, count = 1): Promise<string[]> {
      const mails = await until("the mail has arrived", () => {
        const received = world.smtp.mailsTo(email);
        return received.length >= count && received;
      });
      const text = mails.at(-1)!.data.replaceAll("=\n", "").replaceAll("=3D", "=");
      return [...text.matchAll(/\/(?:invitation|reset)\/([\w-]{43})\b/g)].map(([, token]) => token!);
    },
  };
}
