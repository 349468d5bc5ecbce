import { Page } from "../frame/page.tsx";

export function Keys() {
  return <Page title="API keys">{null}</Page>;
}
