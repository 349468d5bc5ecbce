import { Page } from "../frame/page.tsx";

export function ProviderKeys() {
  return <Page title="Provider keys">{null}</Page>;
}
