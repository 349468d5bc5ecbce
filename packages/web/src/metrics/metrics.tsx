import { Page } from "../frame/page.tsx";

export function Metrics() {
  return <Page title="Metrics">{null}</Page>;
}
