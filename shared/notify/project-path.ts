import { factsOf, ForgeKind } from '../forge/kinds/forge-kind.ts';

const PATHS = [...new Set(ForgeKind.options.map((kind) => factsOf(kind).changeRequestPath))];

/**
 * The path of a project, such as `group/sub/name`, from the address of a change request's page. `forgeUrl`: the address
 * of the forge, whose own path does not count. Returns null for an address of another form.
 */
export const projectPathOf = (webUrl: string, forgeUrl: string): string | null => {
  if (!URL.canParse(webUrl) || !URL.canParse(forgeUrl)) return null;
  const page = decoded(new URL(webUrl).pathname);
  const below = new URL(forgeUrl).pathname.replace(/\/$/, '');
  const end = Math.max(...PATHS.map((path) => page.lastIndexOf(path)));
  const path = page.slice(page.startsWith(`${below}/`) ? below.length + 1 : 1, Math.max(0, end));
  return path === '' ? null : path;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
