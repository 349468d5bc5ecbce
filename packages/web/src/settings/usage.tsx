import { Page } from "../frame/page.tsx";

export function Usage() {
  return <Page title="Usage and limits">{null}</Page>;
}
