/** Creates a program that plays the author. It is a separate script, so that no test code runs in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type AuthorCommand = {
  readonly argv: readonly [string, ...string[]];
  readonly toml: string;
  readonly dispose: () => Promise<void>;
};

/** For tests that are not about cages: an author works without a cage only when the operator allows it. */
export const UNCAGED = '[sandbox]\nbackend = "none"\n';

/** `body` runs in the checkout and may use `input` (the author's input), `fs` and `path`. */
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

/** The same with messages: `script` may use `stdin`, `message`, `body`, `packet` and `answer`. */
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
