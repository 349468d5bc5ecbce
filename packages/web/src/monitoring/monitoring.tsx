import { Page } from "../frame/page.tsx";

export function Monitoring() {
  return <Page title="Monitoring">{null}</Page>;
}
