/** What README, the guide and their siblings say about the first run, commands and permissions is so. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseUserCommand } from '../../shared/rounds/commands/parse-command.ts';
import { runCli } from '../services/cli/run-cli.ts';
import { ROOT } from '../support/built.ts';
import { commandsOf, listDocuments, readBlocks } from './guide/blocks.ts';

const read = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');

const MANIFEST: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(await read('package.json'));

const COMMANDS = readBlocks(ROOT)
  .filter(({ language }) => language === 'sh')
  .flatMap(commandsOf);

/** `test/deploy/guide/run.test.ts` runs them. */
describe('the commands of README and the guide', () => {
  it('F-F1: start scripts that there are', () => {
    const scripts = COMMANDS.flatMap((command) => /^npm (?:run (?:-s )?)?([a-z:]+)/.exec(command)?.[1] ?? []);
    const npmOwn = new Set(['install', 'link']);
    expect(scripts.filter((name) => !(name in MANIFEST.scripts) && !npmOwn.has(name))).toEqual([]);
    expect(scripts).toEqual(expect.arrayContaining(['demo', 'fixpoint', 'start']));
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
      (command) => /(?:^| -- |^fixpoint )(doctor|bound|review|loop)\b/.exec(command)?.[1] ?? [],
    );
    expect(named).toEqual(expect.arrayContaining(['doctor', 'bound', 'review']));
    for (const name of named) expect(stdout).toContain(name);
  });

  it.each([...listDocuments(ROOT), 'services/author/README.md'])(
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
    for (const file of ['deploy/guide/commands.md', 'deploy/guide/author.md']) {
      const said = (await read(file)).split(/\n(?=[|\n-])/).filter((part) => part.includes('`@bot fix`'));
      expect(said.join('\n').replaceAll(/\s+/g, ' ')).toMatch(/at the start of a line/);
      expect(said.join('\n')).not.toMatch(/anywhere/);
    }
  });

  it('F-R11: who may edit the comments of the bot is said', async () => {
    const text = (await read('deploy/guide/quickstart.md')).replaceAll(/\s+/g, ' ');
    expect(text).toContain("On every forge, people with write access can edit and delete the bot's comments.");
    expect(text).not.toMatch(/nobody else|lets nobody/);
  });
});
