/** A piece of work for one slot, from whatever source. */
import { z } from 'zod';

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: string | null;
  readonly priority: string | null;
};

const MAX_TEXT = 20_000;
const Text = z
  .string()
  .catch('')
  .transform((text) => text.slice(0, MAX_TEXT));

/** One issue as `bd ready --json` and `bd list --json` print it; priorities are numbers there (0 is the highest). */
const Bead = z.object({
  id: z.string().min(1).max(200),
  title: Text,
  description: Text.optional(),
  status: z.string().nullable().catch(null).optional(),
  priority: z.union([z.string(), z.number()]).nullable().catch(null).optional(),
});

export const Beads = z
  .array(Bead)
  .max(10_000)
  .transform((beads) => beads.map(taskOfBead));

const priorityText = (priority: string | number | null | undefined): string | null => {
  if (typeof priority === 'number') return `P${priority}`;
  return priority === undefined || priority === '' ? null : priority;
};

const taskOfBead = ({ id, title, description, status, priority }: z.output<typeof Bead>): Task => ({
  id,
  title,
  description: description ?? '',
  status: status ?? null,
  priority: priorityText(priority),
});

export const taskOfText = (text: string, id: string): Task => {
  const [title = '', ...rest] = text.trim().split('\n');
  return { id, title, description: rest.join('\n').trim(), status: null, priority: null };
};

/** `- [ ] text` is open and `- [x] text` is done; other lines are tasks as they stand, but for blank ones and `#`. */
const openLine = (line: string): string | null => {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return null;
  const item = /^[-*] \[( |x|X)\]\s*(.*)$/.exec(text);
  if (item !== null) return item[1] === ' ' ? (item[2] ?? '') : null;
  return text.replace(/^[-*]\s+/, '');
};

/** The tasks of a file: JSON as `bd` prints it, or one task per line. Ids of lines are their numbers, from 1. */
export const parseTasksFile = (text: string): readonly Task[] | null => {
  if (/^\s*\[\s*[{\]]/.test(text)) return Beads.safeParse(parseJson(text)).data ?? null;
  return text.split('\n').flatMap((line, index) => {
    const open = openLine(line);
    return open === null || open === '' ? [] : [taskOfText(open, `line-${index + 1}`)];
  });
};

export const parseBeads = (text: string): readonly Task[] | null => Beads.safeParse(parseJson(text)).data ?? null;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The bead that an agent chose by itself: the last one that it began (`bd update ID --status in_progress`) or closed. */
export const pickedBead = (commands: readonly string[]): string | null => {
  const picked = commands.flatMap((command) =>
    [...command.matchAll(/\bbd\s+(?:update|close)\s+([\w.-]{1,200})/g)].map(([, id]) => id),
  );
  return picked.at(-1) ?? null;
};
