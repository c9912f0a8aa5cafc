/** Values that setup was given: flags first, then what an earlier run or the configuration has, then an answer on the terminal. */
import { type ListenAddress, parseListenAddress } from '../../../shared/config/listen.ts';
import { BaseUrl, ForgeUrl, ProjectPattern } from '../../../shared/config/values.ts';
import type { ForgeSettings } from '../../../shared/config/forge-settings.ts';
import { UsageError } from '../terminal/usage-error.ts';
import type { AskPerson } from './ask.ts';
import type { SetupOptions } from './setup-options.ts';

export type Inputs = {
  readonly baseUrl: string;
  readonly projects: readonly string[];
  /** The address at which the forge calls the ingress, without a final slash. */
  readonly publicUrl: string;
};

type Known = {
  readonly configured: ForgeSettings | null;
  readonly publicUrl: string | null;
  /** Whether setup will change something, which the user must agree to. */
  readonly changes: boolean;
};

/** @throws `USAGE`, which names every missing value if no question can be asked */
export const settleInputs = async (options: SetupOptions, known: Known, ask: AskPerson | null): Promise<Inputs> => {
  const url = options.url ?? known.configured?.baseUrl ?? null;
  const projects = options.project ?? known.configured?.projects ?? null;
  const publicUrl = options.publicUrl ?? known.publicUrl;
  if (ask === null) demandAll({ url, projects, publicUrl }, known.changes && options.yes !== true);
  return {
    baseUrl: parseForgeAddress(url ?? (await askFor(ask, FORGE_QUESTION))),
    projects: parseProjects(projects ?? (await askFor(ask, PROJECTS_QUESTION)).split(/[\s,]+/)),
    publicUrl: parseAddress('--public-url', publicUrl ?? (await askFor(ask, PUBLIC_QUESTION))),
  };
};

const FORGE_QUESTION = 'URL of the forge (https://git.example.com): ';
const PROJECTS_QUESTION = 'Projects ("owner/name" or "group/*"): ';
const PUBLIC_QUESTION = 'URL at which the forge reaches Fixpoint (https://fixpoint.example.com): ';

type Given = {
  readonly url: string | null;
  readonly projects: readonly string[] | null;
  readonly publicUrl: string | null;
};

const demandAll = ({ url, projects, publicUrl }: Given, needsConsent: boolean): void => {
  const missing = [
    ...(url === null ? ['--url, the URL of the forge'] : []),
    ...(projects === null ? ['--project, the projects to review'] : []),
    ...(publicUrl === null ? ['--public-url, the URL at which the forge reaches the ingress'] : []),
    ...(needsConsent ? ['--yes (or --dry-run), because setup cannot ask for consent here'] : []),
  ];
  if (missing.length > 0) throw new UsageError(`setup needs ${missing.join('; ')}`);
};

const askFor = async (ask: AskPerson | null, question: string): Promise<string> => (ask === null ? '' : ask(question));

const parseForgeAddress = (text: string): string => {
  const address = parseAddress('--url', text);
  const parsed = ForgeUrl.safeParse(address);
  if (!parsed.success) throw new UsageError(`--url: ${parsed.error.issues[0]?.message ?? ''}`);
  return parsed.data;
};

const parseAddress = (flag: string, text: string): string => {
  const parsed = BaseUrl.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `${flag}: expected an http(s) URL without user name, password, query or fragment, such as https://git.example.com`,
  );
};

const parseProjects = (texts: readonly string[]): readonly string[] => {
  const projects = texts.filter((text) => text !== '');
  if (projects.length === 0) throw new UsageError('--project: expected "owner/name", "group/*" or "*"');
  for (const project of projects) {
    if (!ProjectPattern.safeParse(project).success)
      throw new UsageError(`--project: "${project.slice(0, 100)}" is neither "owner/name" nor "group/*" nor "*"`);
  }
  return [...new Set(projects)];
};

export const parseListen = (text: string | undefined): ListenAddress | null => {
  if (text === undefined) return null;
  const address = parseListenAddress(text);
  if (address === null) throw new UsageError('--listen: expected HOST:PORT, such as 0.0.0.0:8080');
  return address;
};

const MAX_WAIT_S = 600;

/** Returns milliseconds. */
export const parseWait = (text: string | undefined): number => {
  if (text === undefined) return 30_000;
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > MAX_WAIT_S)
    throw new UsageError(`--wait: expected seconds from 1 to ${MAX_WAIT_S}`);
  return seconds * 1000;
};
