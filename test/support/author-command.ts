/** A program that plays the author: what it does is a script of its own, so that nothing of a test runs in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type AuthorCommand = {
  /** For `author.command`. */
  readonly argv: readonly [string, ...string[]];
  /** The table `[author]`, switched on. */
  readonly toml: string;
  readonly dispose: () => Promise<void>;
};

/** An author works without a cage only where the operator says so, as in tests that are not about cages. */
export const UNCAGED = '[sandbox]\nbackend = "none"\n';

/** `body` sees `input` (what the author is given), `fs` and `path`, and stands in the checkout. */
export const makeAuthorCommand = async (
  body: string,
  more = '',
  args: readonly string[] = [],
): Promise<AuthorCommand> => makeCommand(`const input = JSON.parse(fs.readFileSync(0, 'utf8'));\n${body}`, more, args);

const READ_MESSAGE = `
const { parse, stringify } = await import(${JSON.stringify(import.meta.resolve('yaml'))});
const stdin = fs.readFileSync(0, 'utf8');
const message = parse(stdin);
const body = parse(message.body);
const packet = parse(fs.readFileSync(body.findings_packet, 'utf8'));
const answer = (more = {}) => console.log(stringify({
  id: 'msg-20300105093000-' + message.to + '-' + String(body.round).padStart(4, '0'),
  from: message.to,
  to: message.from,
  type: 'review_addressed',
  priority: 'P1',
  created_at_utc: '2030-01-05T09:30:00Z',
  related_pr: message.related_pr,
  subject: 'Addressed',
  body: { commit_sha: packet.source_review_packet.slice(0, 8), changes_summary: 'Mended.', round: body.round, ...more },
}));
`;

/** As `makeAuthorCommand`, for one that speaks messages: `script` sees `stdin`, `message`, `body`, `packet` and `answer`. */
export const makeMessagesAuthor = async (script: string): Promise<AuthorCommand> =>
  makeCommand(`${READ_MESSAGE}${script}`, 'agent = "messages"\n', []);

const makeCommand = async (script: string, more: string, args: readonly string[]): Promise<AuthorCommand> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-author-'));
  const file = path.join(folder, 'author.mjs');
  await writeFile(file, `import fs from 'node:fs';\nimport path from 'node:path';\n${script}\n`);
  const argv = [process.execPath, file, ...args] as const;
  const command = argv.map((word) => JSON.stringify(word)).join(', ');
  return {
    argv,
    toml: `[author]\nenabled = true\ncommand = [${command}]\n${more}`,
    dispose: async () => rm(folder, { recursive: true, force: true }),
  };
};
