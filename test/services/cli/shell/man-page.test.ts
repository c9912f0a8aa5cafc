import { spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { manualOf } from '../../../../services/cli/manual.ts';
import { createProgram } from '../../../../services/cli/program.ts';
import { allCommands, treeOf } from '../../../../services/cli/shell/command-tree.ts';
import { manPage } from '../../../../services/cli/shell/man-page.ts';

const nothing = async (): Promise<void> => {};
const FACTS = { version: '1.2.3', exitCodes: [[0, 'fine']] as const };

/** As `man` shows it, without overstrikes; null where groff is not installed. */
const shown = (page: string): string | null => {
  const how = ['-man', '-Tascii', '-ww', '-P-cbou'];
  const { error, status, stdout, stderr } = spawnSync('groff', how, { input: page, encoding: 'utf8' });
  if (error !== undefined) return null;
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
};

test('the manual names every command, option and exit code, and groff reads it without a warning', ({ skip }) => {
  const text = shown(manualOf());
  skip(text === null, 'groff is not installed');
  for (const { path, options, commands } of allCommands(treeOf(createProgram({ run: nothing, leave: nothing })))) {
    if (commands.length > 0) continue;
    expect(text).toMatch(new RegExp(`^ {3}${path.slice(1).join(' ')}\\b`, 'm'));
    for (const { flags } of options) expect(text).toContain(flags);
  }
  expect(text).toMatch(/^ {7}3 +inconclusive: /m);
  expect(text).toContain('fixpoint review --worktree');
});

test('no text is read as a macro', ({ skip }) => {
  const program = new Command('fixpoint').description('.SH first');
  program
    .command('odd')
    .description('\'quoted" \\fBtext\\fR')
    .option('--x <y>', '.TP back\\slash')
    .addHelpText('after', "\n.SH x\n'y");
  const page = manPage(treeOf(program), FACTS);
  const text = shown(page);
  skip(text === null, 'groff is not installed');
  for (const words of ['.SH first', '\'quoted" \\fBtext\\fR.', '.TP back\\slash', '.SH x', "'y"])
    expect(text).toContain(words);
});
