/**
 * Parses the reviewer's verdict: a JSON object with `verdict` and `followUpPrompt` at the end of the reviewer's last
 * message. Either the object starts on its own line and only white space follows it, or it is the only content of the last
 * code block, and only the closing fence follows it. Any other object with a verdict is rejected: it may be a quotation, an
 * example, or unfinished. Prose with braces may come before the object.
 */
import { lastBlock } from './agent/fences.ts';
import { z } from 'zod';
import { EXAMPLES } from './task/reviewer-context.ts';

export const ReviewVerdict = z.object({
  verdict: z.enum(['pass', 'drift']),
  /** For a pass, a summary. For a drift, the instructions for the fixer. */
  followUpPrompt: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => /[\p{L}\p{N}]/u.test(text), 'must contain text')
    .refine((text) => !EXAMPLES.includes(text.trim()), 'repeats the example of the contract'),
});
export type ReviewVerdict = z.output<typeof ReviewVerdict>;

export type ReadVerdict =
  | { readonly kind: 'verdict'; readonly verdict: ReviewVerdict }
  | { readonly kind: 'violation'; readonly reason: string };

/** Only the last characters of the text are searched, because a verdict is at the end. */
const MAX_CHARACTERS = 100_000;
const MAX_STARTS = 1_000;

/** End (exclusive) of the JSON object that begins at `start`. -1 when the object is never closed. */
const objectEnd = (text: string, start: number): number => {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
};

type FoundObject = { readonly value: object; readonly start: number; readonly end: number };

const parseObject = (text: string): object | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
};

function* objectsIn(text: string): Generator<FoundObject> {
  const starts = [...text.matchAll(/\{(?=\s*["}])/g)].map(({ index }) => index).slice(-MAX_STARTS);
  let next = 0;
  for (const start of starts) {
    if (start < next) continue;
    const end = objectEnd(text, start);
    const value = end === -1 ? null : parseObject(text.slice(start, end));
    if (value === null) continue;
    next = end;
    yield { value, start, end };
  }
}

const violation = (reason: string): ReadVerdict => ({ kind: 'violation', reason });

const AT_THE_END = 'the verdict must come last';

/** Why an object is not accepted as the reviewer's verdict. Returns null when it is accepted. */
const whyNotOwn = (text: string, { start, end }: FoundObject): string | null => {
  const before = text.slice(0, start);
  const lineStart = before.lastIndexOf('\n') + 1;
  if (/\[\s*$/.test(before) && /^\s*[\],]/.test(text.slice(end))) return 'the verdict must be an object, not a list';
  const block = lastBlock(text);
  const isFenced = block !== null && start >= block.start && start < block.end;
  if (!isFenced && text.slice(end).trim() !== '') return `there is text after the verdict; ${AT_THE_END}`;
  if (!(isFenced ? /^[ \t]*$/ : /^ {0,3}$/).test(before.slice(lineStart)))
    return 'the verdict does not begin on its own line';
  if (!isFenced) return null;
  if (!block.isClosed) return 'the code block of the verdict is not closed';
  if (text.slice(block.start, start).trim() !== '' || text.slice(end, block.end).trim() !== '') {
    return 'the code block contains more than the verdict';
  }
  return text.slice(block.after).trim() === '' ? null : `there is text after the verdict; ${AT_THE_END}`;
};

const judge = (text: string, found: FoundObject): ReadVerdict => {
  const { value, end } = found;
  if (/"verdict"\s*:/.test(text.slice(end))) return violation('the last verdict is not complete JSON');
  const why = whyNotOwn(text, found);
  if (why !== null) return violation(why);
  const parsed = ReviewVerdict.safeParse(value);
  if (parsed.success) return { kind: 'verdict', verdict: parsed.data };
  const [issue] = parsed.error.issues;
  return violation(`${issue?.path.join('.') || 'the verdict'}: ${issue?.message ?? 'has an unexpected shape'}`);
};

const moved = ({ value, start, end }: FoundObject, by: number): FoundObject => ({
  value,
  start: start + by,
  end: end + by,
});

/** `text` is the reviewer's last message, without tool output and events (`agent-output.ts`). */
export const readVerdict = (text: string): ReadVerdict => {
  const tail = text.slice(-MAX_CHARACTERS);
  if (tail.trim() === '') return violation('the reviewer printed nothing');
  let last: FoundObject | null = null;
  for (const found of objectsIn(tail)) if ('verdict' in found.value) last = found;
  if (last !== null) return judge(text, moved(last, text.length - tail.length));
  return violation(
    tail.includes('"verdict"') ? 'the verdict is not complete JSON' : 'there is no JSON object with a verdict',
  );
};
