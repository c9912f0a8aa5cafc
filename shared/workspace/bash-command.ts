/**
 * What a model may run: `git` on the history, and `ls`, `wc`, `head`, `tail` on the tree. The text is taken apart here and
 * put together again in words of ours; what is not in the grammar never becomes a process. Pure.
 */
import { ARRANGE, type BashSources } from './bash-arrange.ts';
import { COMMAND_RULES, type CommandRule } from './bash-grammar.ts';
import { type BashRefusal, describeOptions, refuse, sortWords } from './bash-options.ts';
import { splitBashWords } from './bash-words.ts';

export type BashProgram = 'git' | 'ls' | 'wc' | 'head' | 'tail';

export type BashCommand = {
  readonly kind: 'command';
  readonly program: BashProgram;
  /** All that follows the program, save what every git call gets. */
  readonly args: readonly string[];
  readonly sources: BashSources;
};

const PROGRAMS: readonly BashProgram[] = ['git', 'ls', 'wc', 'head', 'tail'];

const allowedNames = (prefix: string): string =>
  Object.keys(COMMAND_RULES)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .join(' ');

type Named = { readonly program: BashProgram; readonly name: string; readonly rest: readonly string[] } | BashRefusal;

const nameOf = (words: readonly string[]): Named => {
  const [first = '', second = ''] = words;
  const program = PROGRAMS.find((each) => each === first);
  if (program === undefined) return refuse(first, `no such command; there are ${PROGRAMS.join(' ')}`);
  if (program !== 'git') return { program, name: program, rest: words.slice(1) };
  const name = `git ${second}`;
  if (!Object.hasOwn(COMMAND_RULES, name)) {
    return refuse(second, `no such git command; there are ${allowedNames('git ')}, and no option stands before them`);
  }
  return { program, name, rest: words.slice(2) };
};

const withAllowed = (refusal: BashRefusal, name: string, rule: CommandRule): BashRefusal => ({
  ...refusal,
  reason: `${refusal.reason}. ${name} takes: ${describeOptions(rule) || 'no options'}`,
});

const countWords = (operands: readonly string[], [least, most]: CommandRule['count']): BashRefusal | null => {
  if (operands.length < least) return refuse('', 'something is missing after the command');
  return operands.length > most ? refuse(operands[most] ?? '', `more than ${most} words`) : null;
};

const build = (name: string, rest: readonly string[], rule: CommandRule): ReturnType<(typeof ARRANGE)[string]> => {
  const sorted = sortWords(rest, rule);
  if (sorted.kind === 'refused') return withAllowed(sorted, name, rule);
  const { options, operands, paths } = sorted;
  const refused = countWords(rule.countsPaths ? [...operands, ...(paths ?? [])] : operands, rule.count);
  if (refused !== null) return withAllowed(refused, name, rule);
  return ARRANGE[name]?.({ options, operands, paths: paths ?? [] }) ?? refuse(name, 'no such command');
};

/** The command that a text stands for, or which word of it is refused and why. */
export const parseBashCommand = (text: string): BashCommand | BashRefusal => {
  const split = splitBashWords(text);
  if (split.kind === 'refused') return refuse('', split.reason);
  const named = nameOf(split.words);
  if ('kind' in named) return named;
  const rule = COMMAND_RULES[named.name];
  if (rule === undefined) return refuse(named.name, 'no such command');
  const built = build(named.name, named.rest, rule);
  if (built.kind === 'refused') return built;
  return { kind: 'command', program: named.program, args: built.args, sources: built.sources };
};

/** One line per command, for the description of the tool. */
export const describeBash = (): string =>
  Object.entries(COMMAND_RULES)
    .map(([name, rule]) => `${name} ${rule.usage}: ${describeOptions(rule) || '(no options)'}`)
    .join('\n');
