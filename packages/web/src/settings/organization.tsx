import { Page } from "../frame/page.tsx";

export function OrganizationPage() {
  return <Page title="Organization">{null}</Page>;
}
