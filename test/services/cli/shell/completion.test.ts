/** Completion as a shell does it: the script of the real program in a real bash; zsh and fish where they are installed. */
import { spawnSync } from 'node:child_process';
import { Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../../services/cli/program.ts';
import { allCommands, treeOf } from '../../../../services/cli/shell/command-tree.ts';
import { completionFor, SHELLS } from '../../../../services/cli/shell/completion.ts';

const nothing = async (): Promise<void> => {};
const TREE = treeOf(createProgram({ run: nothing, leave: nothing }));
const BASH = completionFor('bash', TREE);

/** What bash offers for the last word. */
const complete = (words: readonly string[], script = BASH): readonly string[] => {
  const asking = 'shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fixpoint; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr, status } = spawnSync(
    'bash',
    ['-c', `eval "$1"; ${asking}`, 'bash', script, 'fixpoint', ...words],
    {
      encoding: 'utf8',
      cwd: import.meta.dirname,
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
};

describe('bash', () => {
  test.each<readonly [readonly string[], readonly string[]]>([
    [['rev'], ['review']],
    [['messages', 'ex'], ['export']],
    [['review', '--form'], ['--format']],
    [['review', '--format', 'sa'], ['sarif']],
    [
      ['review', '--runner', ''],
      ['auto', 'agent', 'claude-code', 'rules'],
    ],
    [['review', '--config', 'completion.t'], ['completion.test.ts']],
    [['review', '--base', ''], []],
    [['review', '--post', '--fail-on', 'n'], ['never']],
    [['messages', 'export', '--ou'], ['--out']],
    [['status', '--po'], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help', '-h'],
    ],
    [['--vers'], ['--version']],
    [['review', '--base', 'status', '--commi'], ['--commit']],
  ])('fixpoint %j offers %j', (words, expected) => {
    expect(complete(words)).toEqual(expected);
  });

  test('every command and every option of the program is offered', () => {
    for (const { path, options, commands } of allCommands(TREE)) {
      const offered = complete([...path.slice(1), '']);
      expect(offered).toEqual(expect.arrayContaining(options.map(({ long }) => long)));
      expect(offered).toEqual(expect.arrayContaining(commands.map((each) => each.path.at(-1))));
    }
  });

  test('a new option is offered without a change here', () => {
    const program = new Command('fixpoint');
    program.command('new').addOption(new Option('--taste <taste>', "it's new").choices(['sweet', 'sour']));
    const tree = treeOf(program);
    expect(complete(['new', '--taste', 's'], completionFor('bash', tree))).toEqual(['sweet', 'sour']);
    for (const shell of SHELLS) expect(completionFor(shell, tree)).toContain('taste');
  });
});

test.each(SHELLS.map((shell) => [shell] as const))('%s can read its script, where it is installed', (shell) => {
  const { error, status, stderr } = spawnSync(shell, ['-n'], { input: completionFor(shell, TREE), encoding: 'utf8' });
  if (error !== undefined) expect(error).toMatchObject({ code: 'ENOENT' });
  else expect([status, stderr]).toEqual([0, '']);
});

test('zsh and fish know each option of review', () => {
  const review = TREE.commands.find(({ path }) => path.at(-1) === 'review');
  for (const { long } of review?.options ?? []) {
    expect(completionFor('zsh', TREE)).toContain(`'${long}'`);
    expect(completionFor('fish', TREE)).toContain(` -l ${long.slice(2)}`);
  }
  expect(completionFor('fish', TREE)).toContain(
    "complete -c fixpoint -n '__fish_seen_subcommand_from review' -l format -x -a 'text json markdown sarif rdjson codeclimate junit'",
  );
});
