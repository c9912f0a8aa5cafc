import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addSetupCommand, type SetupOptions } from '../../../../services/cli/setup/setup-options.ts';
import { readBlocks, shellBlocks } from '../../../deploy/guide/blocks.ts';
import { ROOT } from '../../../support/built.ts';

const parse = async (args: readonly string[]): Promise<SetupOptions> => {
  const started: SetupOptions[] = [];
  const program = new Command().exitOverride();
  const run = async (command: Promise<number>): Promise<void> => void (await command);
  addSetupCommand(program, run, async (options) => {
    started.push(options);
    return 0;
  });
  await program.parseAsync(['setup', ...args], { from: 'user' });
  const [options] = started;
  if (options === undefined) throw new Error('setup did not start');
  return options;
};

test('projects may be given together or one by one', async () => {
  expect(await parse(['--project', 'a/b', 'c/*', '--project', 'd/e', '--no-test', '--yes'])).toEqual({
    project: ['a/b', 'c/*', 'd/e'],
    test: false,
    yes: true,
  });
});

test('the flags that README and the guide use exist', async () => {
  const lines = shellBlocks(readBlocks(ROOT), 'needs=setup').flatMap(({ text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.includes('-- setup ')),
  );
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    const [, rest = ''] = /-- setup ([^#]*)/.exec(line) ?? [];
    expect(await parse(rest.trim().split(/\s+/))).toMatchObject({ publicUrl: expect.stringMatching(/^https:/) });
  }
});
