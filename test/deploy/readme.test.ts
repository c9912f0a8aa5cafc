/** What README.md and its siblings say about the first run, commands and rights is so. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseUserCommand } from '../../shared/rounds/commands/parse-command.ts';
import { runCli } from '../services/cli/run-cli.ts';
import { ROOT } from '../support/built.ts';

const read = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');

const README = await read('README.md');
const MANIFEST: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(await read('package.json'));

/** Each command of the shell blocks, with the place at which it stands, without comments. */
const COMMANDS = [...README.matchAll(/```sh\n([^]*?)```/g)].flatMap(({ 1: block = '', index }) =>
  block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((command) => ({ command, index })),
);

/** Where the README tells how `fixpoint` comes onto PATH. */
const LINKED = README.indexOf('npm run build && npm link');

/** Why it cannot run at its place in a fresh clone; null when nothing is in its way. */
const whyNot = (command: string, index: number): string | null => {
  const script = /^npm (?:run (?:-s )?)?([a-z:]+)/.exec(command)?.[1];
  if (script !== undefined) return script in MANIFEST.scripts ? null : `there is no script ${script}`;
  const copied = /^cp (\S+) /.exec(command)?.[1];
  if (copied !== undefined) return existsSync(path.join(ROOT, copied)) ? null : `there is no ${copied}`;
  if (command === 'set -a; . ./.env; set +a') return null;
  if (command.startsWith('fixpoint ')) return LINKED >= 0 && LINKED < index ? null : 'fixpoint is not on PATH yet';
  return 'a fresh clone has no such program';
};

describe('the commands of the README', () => {
  it.each(COMMANDS)('F-F1: $command can be run where it stands', ({ command, index }) => {
    expect(whyNot(command, index)).toBeNull();
  });

  it('F-F1: install and build before they run anything', () => {
    for (const name of ['fixpoint', 'start'])
      expect(MANIFEST.scripts[name]).toMatch(
        /^node deploy\/prepare\.mjs --build && exec node dist\/services\/cli\/main\.js/,
      );
    for (const name of ['demo', 'pretest']) expect(MANIFEST.scripts[name]).toMatch(/^node deploy\/prepare\.mjs/);
  });

  /** A signal to npm goes to the shell of the script, which would end alone. */
  it.each(['demo', 'fixpoint', 'sim', 'start'])('become the program that npm signals, as npm run %s does', (name) => {
    expect(MANIFEST.scripts[name]).toMatch(/ && exec (?:node|tsx) [^&|;]+$/);
  });

  it('F-F1: are commands that the program has', { timeout: 240_000 }, async () => {
    const { code, stdout } = await runCli(['--help']);
    expect(code).toBe(0);
    const named = COMMANDS.flatMap(
      ({ command }) => /(?:^| -- |^fixpoint )(?<name>doctor|bound|review|loop)\b/.exec(command)?.groups?.['name'] ?? [],
    );
    expect(named).toEqual(expect.arrayContaining(['doctor', 'bound', 'review']));
    for (const name of named) expect(stdout).toContain(name);
  });

  it.each(['README.md', 'deploy/README.md', 'services/author/README.md'])(
    'F-F1: none in %s starts what only a build makes',
    async (file) => {
      expect(await read(file)).not.toMatch(/^node dist\//m);
    },
  );
});

describe('what the documents say', () => {
  it('F-R15: where `@bot fix` is heard is said alike, and as the code does it', async () => {
    expect(parseUserCommand('Thanks.\n\n@bot fix', 'bot')).toEqual({ kind: 'fix' });
    expect(parseUserCommand('please @bot fix', 'bot')).toMatchObject({ kind: 'text' });
    for (const file of ['README.md', 'services/author/README.md']) {
      const said = (await read(file)).split('\n').filter((line) => line.includes('`@bot fix`'));
      expect(said.join('\n')).toMatch(/at the start of a line/);
      expect(said.join('\n')).not.toMatch(/anywhere/);
    }
  });

  it('F-R11: who may edit the comments of the bot is said', async () => {
    const text = (await read('deploy/README.md')).replaceAll(/\s+/g, ' ');
    expect(text).toContain("People with write access can edit and delete the bot's comments on each of the forges.");
    expect(text).not.toMatch(/nobody else|lets nobody/);
  });
});
