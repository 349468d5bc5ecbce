import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../queries.ts";
import { type Session, sessionQuery } from "../session.ts";
import { type FormErrors, formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { rememberSignIn } from "../shell/signed-in-before.ts";
import { projectPageName, settingsPageName } from "../shell/page-names.ts";

const BASE = "http://own.invalid";

/** `enter` sends the request and then opens the address `wanted`. By default, `wanted` is the search parameter `to`. */
export function useEnter(fields: readonly string[]) {
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false }) as { to?: string };
  const [refusal, setRefusal] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function enter(ask: () => Promise<Session>, { wanted = to, replace = false } = {}): Promise<void> {
    setBusy(true);
    setRefusal(undefined);
    try {
      const session = await ask();
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      rememberSignIn();
      await navigate({ href: ownAddress(wanted) ?? "/", replace });
    } catch (error) {
      setRefusal(error);
      setBusy(false);
    }
  }

  const errors: FormErrors = refusal === undefined ? NO_ERRORS : formErrorsOf(refusal, fields);
  return { errors, refusal, busy, enter };
}

// Anyone can write an address into a link as its search parameter `to`, so `ownAddress` accepts only addresses of this site.

/** Returns the path, the search and the hash of an address of this site; undefined for any other text. */
export function ownAddress(to: string | undefined): string | undefined {
  if (to === undefined || !to.startsWith("/")) return undefined;
  const url = URL.parse(to, BASE);
  if (url?.origin !== BASE) return undefined;
  const address = url.pathname + url.search + url.hash;
  return address.startsWith("//") ? undefined : address;
}

/** Returns the names of the page at an address, outermost first. */
export function pageNames(address: string): string[] | undefined {
  const [first, , area, name, page] = address.slice(1).split(/[/?#]/);
  if (first === "account") return ["Account"];
  if (first === "device") return ["Sign in a device"];
  if (first === "invitation") return ["Invitation"];
  if (first !== "o") return undefined;
  if (area === "settings") return ["Settings", settingsPageName(name ?? "")];
  if (area === "p" && name !== undefined) return [name, projectPageName(page ?? "")];
  return undefined;
}

/** The pasted text is the token itself, or a link that ends in the token. */
export const tokenOf = (text: string): string =>
  text
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1)!;
