/** The command line as data, read from commander, so that completion and manual never differ from what is parsed. */
import type { Command, Help, Option } from 'commander';

export type OptionNode = {
  /** `--config`, without its value. */
  readonly long: string;
  readonly short: string | null;
  /** As in the help: `--config <file>`. */
  readonly flags: string;
  readonly description: string;
  readonly value: 'none' | 'file' | 'other';
  readonly choices: readonly string[];
};

export type ArgumentNode = {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly variadic: boolean;
  readonly choices: readonly string[];
};

export type CommandNode = {
  /** The full name, including the program: `fixpoint messages export`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly OptionNode[];
  readonly arguments: readonly ArgumentNode[];
  readonly commands: readonly CommandNode[];
  /** What the help prints below the options: examples, exit codes. */
  readonly after: string;
};

export const treeOf = (command: Command, above: readonly string[] = []): CommandNode => {
  const path = [...above, command.name()];
  const help = command.createHelp();
  return {
    path,
    description: command.description(),
    options: help.visibleOptions(command).flatMap((option) => optionOf(option, help)),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: help.argumentDescription(argument),
      required: argument.required,
      variadic: argument.variadic,
      choices: argument.argChoices ?? [],
    })),
    commands: command.commands.map((each) => treeOf(each, path)),
    after: afterOf(command),
  };
};

const FILE = /[<[](?:file|dir|folder)/;

const optionOf = (option: Option, help: Help): readonly OptionNode[] => {
  const { long, short, flags, argChoices } = option;
  const description = help.optionDescription(option);
  if (long === undefined || long === null) return [];
  const takesValue = option.required || option.optional;
  const value = takesValue ? (FILE.test(flags) ? 'file' : 'other') : 'none';
  return [{ long, short: short ?? null, flags, description, value, choices: argChoices ?? [] }];
};

/** Commander does not return this text; it only writes it to an output. */
const afterOf = (command: Command): string => {
  let whole = '';
  const before = command.configureOutput();
  command.configureOutput({ writeOut: (text) => void (whole += text) });
  command.outputHelp();
  command.configureOutput(before);
  return whole.slice(command.helpInformation().length).trim();
};

export const allCommands = (tree: CommandNode): readonly CommandNode[] => [tree, ...tree.commands.flatMap(allCommands)];
