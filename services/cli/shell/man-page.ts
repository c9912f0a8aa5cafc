/** The manual page, in the macros that every `man` knows: https://man7.org/linux/man-pages/man7/groff_man.7.html */
import { allCommands, type ArgumentNode, type CommandNode } from './command-tree.ts';

export type ManFacts = {
  readonly version: string;
  readonly exitCodes: readonly (readonly [code: number, meaning: string])[];
};

/** A backslash and a dash have special meanings, and so does a dot or an apostrophe at the beginning of a line. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll(/^(?=[.'])/gm, '\\&');

const block = (text: string): readonly string[] => ['.nf', ...roff(text).split('\n'), '.fi'];

export const manPage = (tree: CommandNode, { version, exitCodes }: ManFacts): string =>
  [
    `.TH FIXPOINT 1 "" "fixpoint ${roff(version)}" "User Commands"`,
    '.nh',
    '.ad l',
    '.SH NAME',
    `fixpoint \\- ${roff(tree.description.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B fixpoint',
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH COMMANDS',
    ...allCommands(tree)
      .filter(({ commands }) => commands.length === 0)
      .flatMap(commandSection),
    '.SH "EXIT STATUS"',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, roff(meaning)]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B NO_COLOR',
    'Any non-empty value disables colours and the live line.',
    '',
  ].join('\n');

const commandSection = ({ path, description, arguments: taken, options, after }: CommandNode): readonly string[] => [
  `.SS "${roff([...path.slice(1), ...taken.map(argumentText)].join(' '))}"`,
  roff(`${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`),
  ...taken.flatMap((argument) => ['.TP', `.I ${roff(argument.name)}`, roff(argument.description)]),
  ...options.flatMap(({ flags, description: what }) => ['.TP', `.B "${roff(flags)}"`, roff(what)]),
  ...(after === '' ? [] : ['.PP', ...block(after)]),
];

const argumentText = ({ name, required, variadic }: ArgumentNode): string => {
  const named = variadic ? `${name}...` : name;
  return required ? named : `[${named}]`;
};
