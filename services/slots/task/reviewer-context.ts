import { capPart, MAX_PART_CHARACTERS } from './cap-part.ts';
import type { Task } from './task.ts';

/** Limit for the requests of one earlier review. All earlier reviews together share the size limit of one part. */
const MAX_EARLIER_CHARACTERS = 10_000;

export const DIFF_PARTS = ['committed', 'uncommitted', 'untracked'] as const;
export type DiffPart = (typeof DIFF_PARTS)[number];

export type DiffSnapshot = {
  readonly committed: string;
  readonly uncommitted: string;
  readonly untracked: string;
  readonly unfinished: readonly DiffPart[];
};

export type ReviewerContext = {
  readonly task: Task;
  /** The last output of the implementer, or of the fixer in a re-review. */
  readonly output: string;
  readonly diff: DiffSnapshot | null;
  readonly parallelAgents: number;
  /** The last fix. Null before the first fix. */
  readonly fix: FixContext | null;
};

export type FixContext = {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly followUps: readonly string[];
};

/** Wraps the text in a code fence longer than any run of backticks in it, so that the text cannot close the fence. */
const fenced = (text: string, tag = ''): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${tag}\n${text}\n${fence}`;
};

const section = (title: string, body: string): string => `## ${title}\n\n${body}`;

const taskSection = ({ id, title, status, priority, description }: Task): string => {
  const lines = [
    `- id: ${id}`,
    `- title: ${title}`,
    ...(status === null ? [] : [`- status: ${status}`]),
    ...(priority === null ? [] : [`- priority: ${priority}`]),
  ];
  const text = description === '' ? '' : `\n\n${fenced(capPart(description))}`;
  return section('Task', `${lines.join('\n')}${text}`);
};

const TITLES: Readonly<Record<DiffPart, string>> = {
  committed: 'Committed',
  uncommitted: 'Uncommitted',
  untracked: 'Untracked files',
};
const diffPart = (diff: DiffSnapshot, part: DiffPart): string => {
  const text = diff[part];
  const total = diff.unfinished.includes(part) ? `more than ${text.length}` : String(text.length);
  return `### ${TITLES[part]}\n\n${fenced(capPart(text, MAX_PART_CHARACTERS, total), 'diff')}`;
};

const diffSection = (diff: DiffSnapshot | null): string => {
  if (diff === null) return section('Diff', 'The diff is unavailable.');
  const parts = DIFF_PARTS.filter((part) => diff[part] !== '').map((part) => diffPart(diff, part));
  return section('Diff', parts.length === 0 ? 'There are no changes.' : parts.join('\n\n'));
};

const parallelSection = (agents: number): string =>
  section(
    'Parallel agents',
    `${agents} agents work in parallel, each in its own worktree. Shared resources (databases, ports, caches, ` +
      'issue trackers) may contain changes of other tasks; the diff contains only this one.',
  );

/** Returns the newest requests that fit the limit, and the number of requests left out. */
const earlierDemands = (followUps: readonly string[]): string => {
  const shown: string[] = [];
  let room = MAX_PART_CHARACTERS;
  for (let at = followUps.length - 1; at >= 0; at -= 1) {
    const text = capPart(followUps[at] ?? '', MAX_EARLIER_CHARACTERS);
    if (text.length > room) break;
    room -= text.length;
    shown.unshift(`Review ${at + 1}:\n\n${fenced(text)}`);
  }
  const left = followUps.length - shown.length;
  const cut =
    left === 0 ? [] : [`[cut: the requests of the first ${left} of ${followUps.length} reviews are not shown]`];
  return ['### Requests of earlier reviews', ...cut, ...shown].join('\n\n');
};

const fixSection = ({ attempt, maxAttempts, followUps }: FixContext): string => {
  const earlier = followUps.slice(0, -1);
  return section(
    `Fix attempt ${attempt} of ${maxAttempts}`,
    `Your last review found drift and asked for:\n\n${fenced(capPart(followUps.at(-1) ?? ''))}\n\n` +
      'Judge whether the requested changes were made. Do not ask for the opposite of what an earlier review asked for.' +
      (earlier.length === 0 ? '' : `\n\n${earlierDemands(earlier)}`),
  );
};

const PASS_EXAMPLE = 'one sentence that summarises the work';
const DRIFT_EXAMPLE = 'exact instructions for the fix';
/** An answer that repeats an example of the contract is not accepted as a verdict. */
export const EXAMPLES: readonly string[] = [PASS_EXAMPLE, DRIFT_EXAMPLE];

export const CONTRACT = section(
  'Your answer',
  'End with one JSON object on its own line, and nothing after it:\n\n' +
    `\`\`\`json\n{"verdict": "pass", "followUpPrompt": "${PASS_EXAMPLE}"}\n\`\`\`\n\nor\n\n` +
    `\`\`\`json\n{"verdict": "drift", "followUpPrompt": "${DRIFT_EXAMPLE}"}\n\`\`\`\n\n` +
    '`verdict` is `pass` or `drift`; `followUpPrompt` must not be empty. Any other answer fails the task. ' +
    'Do not change files.',
);

/** Builds the sections in a fixed order. Text written by others is fenced, because it is data, not an instruction. */
export const buildReviewerContext = (context: ReviewerContext): string =>
  [
    taskSection(context.task),
    section(
      'Output of the implementer',
      context.output === '' ? 'There is no output.' : fenced(capPart(context.output)),
    ),
    diffSection(context.diff),
    ...(context.parallelAgents > 1 ? [parallelSection(context.parallelAgents)] : []),
    ...(context.fix === null ? [] : [fixSection(context.fix)]),
    CONTRACT,
  ].join('\n\n');
