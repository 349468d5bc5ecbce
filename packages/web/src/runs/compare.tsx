import { Page } from "../frame/page.tsx";

export function Compare() {
  return <Page title="Compare">{null}</Page>;
}
