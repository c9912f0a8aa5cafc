/** Every code block of README and the guide is marked, and right as far as its language tells. */
import { describe, expect, it } from 'vitest';
import { runCli } from '../../services/cli/run-cli.ts';
import { ROOT } from '../../support/built.ts';
import { type Block, blocksOf, commandsOf, countKinds, mistakeIn, placeOf, readBlocks, shellBlocks } from './blocks.ts';
import { problemsOf } from './syntax.ts';

const BLOCKS = readBlocks(ROOT);

const block = (language: string, mark: string, text: string): Block => ({
  document: 'x.md',
  line: 1,
  language,
  mark,
  text,
});

describe('the code blocks of README and the guide', () => {
  it('all say what it takes to run them', () => {
    process.stdout.write(`blocks of README and guide: ${countKinds(BLOCKS)}\n`);
    const unmarked = BLOCKS.flatMap((one) => {
      const mistake = mistakeIn(one);
      return mistake === null ? [] : [`${placeOf(one)} ${mistake}`];
    });
    expect(unmarked).toEqual([]);
    expect(shellBlocks(BLOCKS, 'run').length).toBeGreaterThan(4);
  });

  it.each(BLOCKS.map((one) => [placeOf(one), one] as const))('%s has no mistake of its language', (_, one) => {
    expect(problemsOf(one)).toEqual([]);
  });

  it('pass only options that the program has', { timeout: 240_000 }, async () => {
    const used = new Map<string, Set<string>>();
    for (const command of BLOCKS.filter(({ language }) => language === 'sh').flatMap(commandsOf)) {
      const [, name, rest = ''] =
        /(?<!--namespace )\bfixpoint(?: --)? (?<name>(?:(?:eval|messages) )?[a-z]+(?:-[a-z]+)*)\b(?<rest>[^|]*)/.exec(
          command,
        ) ?? [];
      if (name === undefined) continue;
      const options = used.get(name) ?? new Set();
      for (const [option] of rest.matchAll(/(?<=\s)--?[a-zA-Z][a-z-]*/g)) options.add(option);
      used.set(name, options);
    }
    expect([...used.keys()]).toEqual(expect.arrayContaining(['bound', 'doctor', 'loop', 'review']));
    for (const [name, options] of used) {
      const { code, stdout } = await runCli([...name.split(' '), '--help']);
      expect({ name, code }).toEqual({ name, code: 0 });
      expect([...options].filter((option) => !new RegExp(`(?:^|\\s)${option}[,\\s]`).test(stdout))).toEqual([]);
    }
  });
});

describe('the check of a block', () => {
  it('finds blocks in lists, with the place of the fence', () => {
    const [found] = blocksOf('x.md', '# A\n\n1. b\n\n   ```sh needs=forge\n   c \\\n     d   # e\n   ```\n');
    expect(found).toEqual({
      document: 'x.md',
      line: 5,
      language: 'sh',
      mark: 'needs=forge',
      text: 'c \\\n  d   # e',
    });
    expect(found === undefined ? [] : commandsOf(found)).toEqual(['c d']);
  });

  it.each([
    ['sh', '', 'is marked "", not run'],
    ['sh', 'needs=luck', 'is marked "needs=luck"'],
    ['', '', 'has no language'],
  ])('refuses "%s %s"', (language, mark, words) => {
    expect(mistakeIn(block(language, mark, 'true'))).toContain(words);
  });

  it.each([
    ['sh', 'run', 'if true; then'],
    ['toml', 'file=fixpoint.toml', '[review]\nquite_seconds = 3'],
    ['toml', 'file=.fixpoint.toml', '[rounds]\nmax_runs = 3'],
    ['toml', 'file=loop.toml', 'provder = "claude"'],
    ['toml', '', 'a = 1'],
    ['yaml', '', 'a: [1'],
    ['json', '', '{"a": }'],
    ['ts', '', 'const = 1'],
    ['cobol', '', 'STOP RUN'],
  ])('finds a mistake in %s %s', (language, mark, text) => {
    expect(problemsOf(block(language, mark, text))).not.toEqual([]);
  });
});
