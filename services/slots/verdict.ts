/**
 * The reviewer's one answer, strictly: a JSON object with `verdict` and `followUpPrompt`. Prose with braces may stand
 * before it. The last one counts, so that a reviewer may quote the contract first; an object that was begun after it
 * and never closed means that the answer is not complete.
 */
import { z } from 'zod';

export const ReviewVerdict = z.object({
  verdict: z.enum(['pass', 'drift']),
  /** On pass a summary, on drift what the fixer is told. */
  followUpPrompt: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
});
export type ReviewVerdict = z.output<typeof ReviewVerdict>;

export type ReadVerdict =
  | { readonly kind: 'verdict'; readonly verdict: ReviewVerdict }
  | { readonly kind: 'violation'; readonly reason: string };

/** A verdict stands at the end: what is further away than this is not looked at. */
const MAX_CHARACTERS = 100_000;
const MAX_STARTS = 1_000;

/** End (exclusive) of the JSON object that begins at `start`; -1 when it is never closed. */
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

/** Outermost objects in order. Braces that are no JSON (code, for one) are passed over. */
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

const judge = (text: string, { value, start, end }: FoundObject): ReadVerdict => {
  if (/"verdict"\s*:/.test(text.slice(end))) return violation('the last verdict is not complete JSON');
  if (/\[\s*$/.test(text.slice(0, start)) && /^\s*[\],]/.test(text.slice(end)))
    return violation('the verdict must be an object, not a list');
  const parsed = ReviewVerdict.safeParse(value);
  if (parsed.success) return { kind: 'verdict', verdict: parsed.data };
  const [issue] = parsed.error.issues;
  return violation(`${issue?.path.join('.') || 'the verdict'}: ${issue?.message ?? 'has another shape'}`);
};

/** `text` is what the reviewer said, without tool output and events around it (`agent-output.ts`). */
export const readVerdict = (text: string): ReadVerdict => {
  const tail = text.slice(-MAX_CHARACTERS);
  if (tail.trim() === '') return violation('the reviewer said nothing');
  let last: FoundObject | null = null;
  for (const found of objectsIn(tail)) if ('verdict' in found.value) last = found;
  if (last !== null) return judge(tail, last);
  return violation(
    tail.includes('"verdict"') ? 'the verdict is not complete JSON' : 'there is no JSON object with a verdict',
  );
};
