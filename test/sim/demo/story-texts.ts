/** What the page and the terminal say about each step of the story. */

export type StepText = {
  /** Of its tab. */
  readonly name: string;
  readonly what: string;
  /** For the terminal. */
  readonly say: string;
};

const TEXTS = {
  first: {
    name: 'First review',
    what: 'A change request with eight planted defects is opened. Built-in rules find six of them. The loop that runs one item too far and the discount without a limit have no rule: only the model finds these. Its third claim is wrong, as the next step shows.',
    say: 'The rules and the model have reviewed the change.',
  },
  objections: {
    name: 'The author disagrees',
    what: 'The author objects to two claims, without a push. One objection is right: the bot says so and closes the thread. The other is not: the bot answers once, with its reason, and the thread stays open.',
    say: 'author objected to two claims: one is withdrawn, the other stays.',
  },
  suggestion: {
    name: 'A suggestion applied',
    what: 'The author takes over the suggested line as it is, and fixes three of the other defects. The review of the fixes closes four threads and repeats nothing.',
    say: 'author applied a suggestion and pushed fixes for half of the rest.',
  },
  handoff: {
    name: 'Handed to a person',
    what: 'The author repeats the objection. Two answers in one thread are the limit: the bot stops arguing and mentions the owner of the project once. The thread keeps blocking until a person or a fix settles it.',
    say: 'author insisted: the bot handed the thread to a person.',
  },
  pass: {
    name: 'Pass',
    what: 'What was still open is fixed. The review quotes the lines that fix it, closes the last threads, and the commit status turns green.',
    say: 'author pushed fixes for the rest.',
  },
  'first-by-rules': {
    name: 'First review',
    what: 'A change request with six planted defects is opened. The built-in rules find all of them: on added and unchanged lines, in a renamed file, in a file with a non-ASCII name, with CRLF line ends, and without a final newline.',
    say: 'The rules have reviewed the change.',
  },
  'half-by-rules': {
    name: 'Half is fixed',
    what: 'The author fixes three of the defects. The review of the fixes closes their threads and repeats nothing.',
    say: 'author pushed fixes for half of them.',
  },
} as const satisfies Readonly<Record<string, StepText>>;

export type StepName = keyof typeof TEXTS;

export const STORY_STEPS: Readonly<Record<StepName, StepText>> = TEXTS;

const STORIES: Readonly<Record<'rules' | 'agent', readonly StepName[]>> = {
  agent: ['first', 'objections', 'suggestion', 'handoff', 'pass'],
  rules: ['first-by-rules', 'half-by-rules', 'pass'],
};

export const stepNames = (runner: 'rules' | 'agent'): readonly string[] =>
  STORIES[runner].map((name) => STORY_STEPS[name].name);
