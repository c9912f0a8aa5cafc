import type { Command } from 'commander';
import type { RunCommand } from '../terminal/run-command.ts';

export const addRulesCommand = (program: Command, run: RunCommand): void => {
  const rules = program.command('rules').description('work on own rules, as in .fixpoint/rules/ of a project');
  rules
    .command('check')
    .description('check every rule of a folder with its examples; needs no configuration')
    .argument('<folder>', 'the folder of the rules, such as .fixpoint/rules')
    .addHelpText(
      'after',
      '\nExample:\n  fixpoint rules check .fixpoint/rules\n\nExit code: 0 all rules can be used, 1 at least one mistake, 2 bad usage.',
    )
    .action(async (folder: string) =>
      run(import('./rules-check.ts').then(async ({ checkRulesIn }) => checkRulesIn(folder))),
    );
};
