import { Page } from "../frame/page.tsx";

export function Overview() {
  return <Page title="Overview">{null}</Page>;
}
