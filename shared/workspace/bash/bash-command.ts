/** Parses a command of the Bash tool and rebuilds it from allowed words. No other text from the model starts a process. Pure. */
import { ARRANGE, type BashSources } from './bash-arrange.ts';
import { COMMAND_NAMES, COMMAND_RULES, type CommandName, type CommandRule } from './bash-grammar.ts';
import { type BashRefusal, describeOptions, refuse, sortWords } from './bash-options.ts';
import { splitBashWords } from './bash-words.ts';

export type BashProgram = 'git' | 'ls' | 'wc' | 'head' | 'tail';

export type BashCommand = {
  readonly kind: 'command';
  readonly program: BashProgram;
  /** The arguments after the program, without the options that `createGit` adds to every git call. */
  readonly args: readonly string[];
  readonly sources: BashSources;
  readonly patterns: boolean;
};

const PROGRAMS: readonly BashProgram[] = ['git', 'ls', 'wc', 'head', 'tail'];

const GIT_COMMANDS = COMMAND_NAMES.filter((name) => name.startsWith('git ')).map((name) => name.slice('git '.length));

const READ = 'the tool Read, which takes offset, limit and ranges';
const SEARCH = 'the tool Grep, which takes context and glob';

/** What to use in place of commands that models often call. */
const INSTEAD: Readonly<Partial<Record<string, string>>> = {
  cat: READ,
  sed: READ,
  nl: READ,
  grep: SEARCH,
  rg: SEARCH,
  find: 'the tool Glob',
  tree: 'the tool Glob',
};

type Named =
  | {
      readonly kind: 'named';
      readonly program: BashProgram;
      readonly name: CommandName;
      readonly rest: readonly string[];
    }
  | BashRefusal;

const nameOf = (words: readonly string[]): Named => {
  const [first = '', second = ''] = words;
  const program = PROGRAMS.find((each) => each === first);
  if (program === undefined) {
    const instead = INSTEAD[first];
    const hint = instead === undefined ? '' : `; use ${instead}`;
    return refuse(first, `unknown command; the commands are ${PROGRAMS.join(' ')}${hint}`);
  }
  const named = program === 'git' ? words.slice(0, 2) : [first];
  const name = COMMAND_NAMES.find((each) => each === named.join(' '));
  if (name !== undefined) return { kind: 'named', program, name, rest: words.slice(named.length) };
  return refuse(
    second,
    `unknown git command; the git commands are ${GIT_COMMANDS.join(' ')}, with no option before them`,
  );
};

const withAllowed = (refusal: BashRefusal, name: string, rule: CommandRule): BashRefusal => ({
  ...refusal,
  reason: `${refusal.reason}. ${name} takes: ${describeOptions(rule) || 'no options'}`,
});

const countWords = (words: readonly string[], [least, most]: CommandRule['count']): BashRefusal | null => {
  if (words.length < least) return refuse('', 'missing operand');
  return words.length > most ? refuse(words[most] ?? '', `more than ${most} words`) : null;
};

export const parseBashCommand = (text: string): BashCommand | BashRefusal => {
  const split = splitBashWords(text);
  if (split.kind === 'refused') return refuse('', split.reason);
  const named = nameOf(split.words);
  if (named.kind === 'refused') return named;
  const { program, name, rest } = named;
  const rule: CommandRule = COMMAND_RULES[name];
  const sorted = sortWords(rest, rule);
  if (sorted.kind === 'refused') return withAllowed(sorted, name, rule);
  const counted = rule.countsPaths ? [...sorted.operands, ...sorted.paths] : sorted.operands;
  const refused = countWords(counted, rule.count);
  if (refused !== null) return withAllowed(refused, name, rule);
  const arranged = ARRANGE[name](sorted);
  if (arranged.kind === 'refused') return arranged;
  return { ...arranged, kind: 'command', program };
};

/** The names of the commands. A refusal lists the options of its command. */
export const describeBash = (): string =>
  `git ${GIT_COMMANDS.join(', ')}; ${PROGRAMS.filter((name) => name !== 'git').join(', ')}`;
