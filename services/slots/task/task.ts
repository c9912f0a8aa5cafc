import { z } from 'zod';
import { capPart } from './cap-part.ts';
import { jsonOrNull } from '../../../shared/json-or-null.ts';

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: string | null;
  readonly priority: string | null;
};

const MAX_FIELD_CHARACTERS = 20_000;
/** `bd` itself allows titles of 500 characters. */
const MAX_TITLE_CHARACTERS = 1_000;

const Text = z.string().catch('');

/** One issue as `bd ready --json` and `bd list --json` print it. `bd` prints priorities as numbers; 0 is the highest. */
const Bead = z.object({
  id: z.string().min(1).max(200),
  title: Text,
  description: Text.optional(),
  acceptance_criteria: Text.optional(),
  design: Text.optional(),
  notes: Text.optional(),
  issue_type: Text.optional(),
  status: z.string().nullable().catch(null).optional(),
  priority: z.union([z.string(), z.number()]).nullable().catch(null).optional(),
});
type Bead = z.output<typeof Bead>;

const Beads = z.array(Bead);

/** `bd` wraps its list in `data` from 2.0 on, and in earlier versions with `BD_JSON_ENVELOPE=1`. */
const Answer = z.union([Beads, z.object({ data: Beads }).transform(({ data }) => data)]);

const priorityText = (priority: string | number | null | undefined): string | null => {
  if (typeof priority === 'number') return `P${priority}`;
  return priority === undefined || priority === '' ? null : priority;
};

const part = (title: string, text: string | undefined): readonly string[] =>
  text === undefined || text.trim() === '' ? [] : [`${title}${capPart(text, MAX_FIELD_CHARACTERS)}`];

const textOfBead = ({ description, acceptance_criteria: criteria, design, notes }: Bead): string =>
  [
    ...part('', description),
    ...part('Acceptance criteria:\n', criteria),
    ...part('Design:\n', design),
    ...part('Notes:\n', notes),
  ].join('\n\n');

const taskOfBead = (bead: Bead): Task => ({
  id: bead.id,
  title: capPart(bead.title, MAX_TITLE_CHARACTERS).replaceAll(/\s+/g, (blanks) =>
    blanks.includes('\n') ? ' ' : blanks,
  ),
  description: textOfBead(bead),
  status: bead.status ?? null,
  priority: priorityText(bead.priority),
});

export const taskOfText = (text: string, id: string): Task => {
  const [title = '', ...rest] = text.trim().split('\n');
  return { id, title, description: rest.join('\n').trim(), status: null, priority: null };
};

/** Returns null for done items (`- [x] text`), blank lines and lines that begin with `#`. Otherwise the task, without `- [ ]`. */
const openLine = (line: string): string | null => {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return null;
  const item = /^[-*] \[( |x|X)\]\s*(.*)$/.exec(text);
  if (item !== null) return item[1] === ' ' ? (item[2] ?? '') : null;
  return text.replace(/^[-*]\s+/, '');
};

/** Parses `bd`'s JSON, or one task per line. A line's id is its line number, from 1. Returns null when the JSON is not valid. */
export const parseTasksFile = (text: string): readonly Task[] | null => {
  if (/^\s*(?:\[\s*[{\]]|\{\s*")/.test(text)) return Answer.safeParse(jsonOrNull(text)).data?.map(taskOfBead) ?? null;
  return text.split('\n').flatMap((line, index) => {
    const open = openLine(line);
    return open === null || open === '' ? [] : [taskOfText(open, `line-${index + 1}`)];
  });
};

/** Parses the output of `bd ready --json`. Drops epics, because they contain tasks. Null when it is not a list of issues. */
export const parseBeads = (text: string): readonly Task[] | null => {
  const { data } = Answer.safeParse(jsonOrNull(text));
  return data?.filter((bead) => bead.issue_type !== 'epic').map(taskOfBead) ?? null;
};

const SWITCHES = new Set([
  '--claim',
  '--json',
  '--force',
  '-f',
  '--quiet',
  '-q',
  '--sandbox',
  '--continue',
  '--no-auto',
]);

const firstId = (words: readonly string[]): string | null => {
  const at = words.findIndex((word, index) => {
    const before = words[index - 1] ?? '';
    const isValue = before.startsWith('-') && !before.includes('=') && !SWITCHES.has(before);
    return !isValue && /^\w[\w.-]{0,199}$/.test(word);
  });
  return words[at] ?? null;
};

/** The bead that an agent chose itself: the last bead that it updated (`bd update ID --status in_progress`) or closed. */
export const pickedBead = (commands: readonly string[]): string | null => {
  const calls = commands.flatMap((command) => [
    ...command.matchAll(/(?<![\w-])bd\s+(?:-\S+\s+)*(?:update|close)\s+([^\n;&|'"]*)/g),
  ]);
  return calls.flatMap(([, rest = '']) => firstId(rest.trim().split(/\s+/)) ?? []).at(-1) ?? null;
};
