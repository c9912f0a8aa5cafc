/**
 * The grammar of the Bash tool, as data: an option that is not listed here is refused. The list deliberately omits
 * options that run a program, write, read a file named in their argument, follow a reference out of the tree or match
 * with a backtracking regular expression. It also omits options that show only a part of a line, because the secret
 * scan might miss a partial secret.
 */

export type ValueKind = 'number' | 'from_line' | 'lines' | 'text' | 'date';

export type CommandRule = {
  readonly usage: string;
  readonly flags: readonly string[];
  /** Options whose value is the next word. */
  readonly values: Readonly<Record<string, ValueKind>>;
  /** Prefixes that digits may follow without a space, as in `-n5`. */
  readonly digits: readonly string[];
  /** Whether `--format` with simple placeholders is allowed. */
  readonly formats: boolean;
  /** Minimum and maximum number of operands (words before `--` that are not options). */
  readonly count: readonly [number, number];
  /** Whether words after `--` count as operands. */
  readonly countsPaths: boolean;
};

type Options = Partial<Pick<CommandRule, 'flags' | 'values' | 'digits' | 'formats' | 'countsPaths'>>;

const rule = (usage: string, count: CommandRule['count'], options: Options): CommandRule => ({
  usage,
  count,
  flags: [],
  values: {},
  digits: [],
  formats: false,
  countsPaths: false,
  ...options,
});

const PATCH_FLAGS = [
  '-p',
  '-s',
  '--stat',
  '--shortstat',
  '--numstat',
  '--summary',
  '--name-only',
  '--name-status',
  '-M',
  '--no-renames',
  '-w',
  '-b',
  '--ignore-blank-lines',
  '--minimal',
  '--histogram',
] as const;

const COMMIT_FLAGS = [
  '--oneline',
  '--abbrev-commit',
  '--pretty=oneline',
  '--pretty=short',
  '--pretty=medium',
  '--pretty=full',
  '--pretty=fuller',
  '--date=short',
  '--date=iso',
  '--date=relative',
] as const;

export const COMMAND_RULES = {
  'git log': rule('[REVISION…] [-- PATH…]', [0, 20], {
    flags: [
      ...COMMIT_FLAGS,
      ...PATCH_FLAGS,
      '--no-merges',
      '--merges',
      '--first-parent',
      '--reverse',
      '--follow',
      '--topo-order',
      '--date-order',
      '-i',
      '-F',
      '--all-match',
      '--full-history',
    ],
    values: {
      '-n': 'number',
      '--max-count': 'number',
      '--skip': 'number',
      '--since': 'date',
      '--after': 'date',
      '--until': 'date',
      '--before': 'date',
      '--author': 'text',
      '--grep': 'text',
      '-S': 'text',
      '-G': 'text',
    },
    digits: ['-n', '-', '-U'],
    formats: true,
  }),
  'git show': rule('[REVISION…|REVISION:PATH…] [-- PATH…]', [0, 20], {
    flags: [...COMMIT_FLAGS, ...PATCH_FLAGS],
    digits: ['-U'],
    formats: true,
  }),
  'git diff': rule('REVISION [REVISION]|RANGE [-- PATH…]', [1, 2], {
    flags: PATCH_FLAGS,
    values: { '-S': 'text', '-G': 'text' },
    digits: ['-U'],
  }),
  'git blame': rule('[REVISION] -- PATH', [1, 3], {
    countsPaths: true,
    flags: ['-w', '-s', '-e', '-l'],
    values: { '-L': 'lines' },
  }),
  'git grep': rule('PATTERN [REVISION] [-- PATH…]', [1, 2], {
    flags: ['-i', '-w', '-v', '-E', '-F', '-n', '-l', '-L', '-c'],
    values: { '-A': 'number', '-B': 'number', '-C': 'number' },
    digits: ['-A', '-B', '-C'],
  }),
  'git ls-files': rule('[PATH…]', [0, 20], { countsPaths: true }),
  'git ls-tree': rule('REVISION [PATH…]', [1, 20], { flags: ['-r', '-t', '-d', '-l', '--name-only'] }),
  'git cat-file': rule('OBJECT', [1, 1], { flags: ['-p', '-t', '-s', '-e'] }),
  'git rev-parse': rule('REVISION…', [1, 5], { flags: ['--verify', '--short'] }),
  ls: rule('[PATH…]', [0, 20], {
    countsPaths: true,
    flags: ['-1', '-a', '-A', '-l', '-d', '-R', '-h', '-S', '-r', '-la', '-al', '-lA', '-lh', '-lah', '-lR', '-1R'],
  }),
  wc: rule('PATH…', [1, 20], { countsPaths: true, flags: ['-l', '-w', '-c', '-m', '-L'] }),
  head: rule('PATH…', [1, 20], { countsPaths: true, values: { '-n': 'number' }, digits: ['-n', '-'] }),
  tail: rule('PATH…', [1, 20], { countsPaths: true, values: { '-n': 'from_line' }, digits: ['-n', '-'] }),
} satisfies Readonly<Record<string, CommandRule>>;

export type CommandName = keyof typeof COMMAND_RULES;

// `Object.keys` loses the key type; the object is a literal, so its keys are exactly `CommandName`.
export const COMMAND_NAMES = Object.keys(COMMAND_RULES) as readonly CommandName[];

export const VALUE_PATTERNS: Readonly<Record<ValueKind, RegExp>> = {
  number: /^\d{1,6}$/,
  from_line: /^\+?\d{1,6}$/,
  lines: /^\d{1,7},\+?\d{1,7}$/,
  text: /^[^-].{0,299}$/,
  date: /^[0-9a-zA-Z][0-9a-zA-Z:., +-]{0,49}$/,
};

/**
 * Hash, subject, whole message, names and dates of a commit. Any other placeholder is refused. Some run a program
 * (`%G?`), some print bytes that are not in the commit (`%x00`), and some print only a part of the message (`%b`,
 * `%<(5,trunc)`), in which the secret scan might miss a secret.
 */
export const FORMAT = /^(?:%(?:[hHsBn%]|an|ad|ar|as|cn|cd|cr|cs)|[ \w.,:;|/()<>=-]){1,200}$/;

/** A revision has no leading dash and no git syntax that selects anything other than commits. */
export const REVISION = /^[0-9a-zA-Z][0-9a-zA-Z._/~^-]{0,199}$/;

export const DIGITS = /^\d{1,6}$/;
