/** The command line of the demo. */
import { parseArgs } from 'node:util';
import { PICTURE } from './pictures.ts';
import { type DemoForgeName, forgeNames, parseForgeName } from './start-forge.ts';

export const USAGE = `npm run demo -- [--once] [--json] [--page-port NUMBER] [--port NUMBER] [--forge ${forgeNames.join('|')}] [--runner agent|rules] [--screenshot [FILE]]

Plays a review from the first push to the pass: the real services, a simulated forge with real git, and a model with
recorded answers. It needs no forge, no Redis and no API key. Open the address that it prints: one tab per step, and a
button that kills the poster in mid-post.

  --once        ends by itself: the story, then one kill; without it the page stays up until Ctrl-C
  --json        prints the report as JSON on standard output, and everything else on standard error
  --page-port   of the page; default: a free one
  --port        of the simulated forge; default: a free one
  --forge       default: forgejo
  --runner      agent: the model and the built-in rules; rules: only the rules, a shorter story
  --screenshot  takes all pictures of the guide with Chromium and ends (default FILE: ${PICTURE})
  --help        prints this

Exit code: 0 when the story ends in a pass and nothing was said twice, else 1; 2 for a wrong option.
`;

export type DemoWish = {
  readonly once: boolean;
  readonly json: boolean;
  readonly forge: DemoForgeName;
  readonly runner: 'rules' | 'agent';
  readonly port?: number;
  readonly pagePort?: number;
  /** File of the first picture; null: no pictures. */
  readonly screenshot: string | null;
};

export type ReadOptions =
  | { readonly kind: 'wish'; readonly wish: DemoWish }
  | { readonly kind: 'help' }
  | { readonly kind: 'bad'; readonly why: string };

const OPTIONS = {
  help: { type: 'boolean', short: 'h', default: false },
  once: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  port: { type: 'string' },
  'page-port': { type: 'string' },
  forge: { type: 'string', default: 'forgejo' },
  runner: { type: 'string', default: 'agent' },
  screenshot: { type: 'boolean', default: false },
} as const;

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

type Values = Exclude<ReturnType<typeof parse>, string>['values'];

const isPort = (text: string | undefined): boolean =>
  text === undefined || (/^\d{1,5}$/.test(text) && Number(text) < 65_536);

const portsOf = (values: Values): Pick<DemoWish, 'port' | 'pagePort'> => ({
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values['page-port'] === undefined ? {} : { pagePort: Number(values['page-port']) }),
});

const badPort = (values: Values): string | null => {
  if (!isPort(values.port)) return '--port must be a port number';
  return isPort(values['page-port']) ? null : '--page-port must be a port number';
};

export const readOptions = (args: readonly string[]): ReadOptions => {
  const parsed = parse(args);
  if (typeof parsed === 'string') return { kind: 'bad', why: parsed };
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  const port = badPort(values);
  if (port !== null) return { kind: 'bad', why: port };
  if (positionals.length > (values.screenshot ? 1 : 0))
    return { kind: 'bad', why: `unexpected argument: ${positionals.at(-1)}` };
  const forge = parseForgeName(values.forge);
  if (forge === null) return { kind: 'bad', why: `--forge must be one of ${forgeNames.join(', ')}` };
  const { runner, once, json } = values;
  if (runner !== 'rules' && runner !== 'agent') return { kind: 'bad', why: '--runner must be one of agent, rules' };
  const screenshot = values.screenshot ? (positionals[0] ?? PICTURE) : null;
  return { kind: 'wish', wish: { once, json, forge, runner, screenshot, ...portsOf(values) } };
};
