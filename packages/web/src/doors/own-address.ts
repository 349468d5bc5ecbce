import { projectPageName, settingsPageName } from "../frame/page-names.ts";

// Addresses come from the search parameter `to`, which anyone can write into a link.

const BASE = "http://own.invalid";

/** Returns the path, the search and the hash of an address of this site; undefined for every other text. */
export function ownAddress(to: string | undefined): string | undefined {
  if (to === undefined || !to.startsWith("/")) return undefined;
  const url = URL.parse(to, BASE);
  if (url?.origin !== BASE) return undefined;
  const address = url.pathname + url.search + url.hash;
  return address.startsWith("//") ? undefined : address;
}

/** Returns the names of the page at an address, from the outermost; undefined for a page that needs no words. */
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
