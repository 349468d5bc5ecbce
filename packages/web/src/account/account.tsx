import { Page } from "../frame/page.tsx";

export function Account() {
  return <Page title="Account">{null}</Page>;
}
