/** Parses a posted summary into the parts that the poster wrote. */
import { FOLD_BEGIN, FOLD_END, type Fold, type SummaryBody } from '../model/posting/post-plan.ts';
import { stripMarkers } from './marker.ts';

const TITLE = /^<summary>([^<>]{1,120})<\/summary>$/;

/** Folds stand between the text and the foot. In code, their tags are only text. */
export const readSummaryBody = (body: string): SummaryBody => {
  const lines = stripMarkers(body.replaceAll('\r\n', '\n')).trim().split('\n');
  const folds: Fold[] = [];
  const before: string[] = [];
  const after: string[] = [];
  let fence: string | null = null;
  let open: { readonly title: string; readonly lines: string[] } | null = null;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const code = fence !== null;
    fence = fenceAfter(line, fence);
    const title = code || line !== FOLD_BEGIN ? undefined : TITLE.exec(lines[at + 1] ?? '')?.[1];
    if (open === null && title !== undefined) {
      open = { title, lines: [] };
      at += 1;
    } else if (open !== null && !code && line === FOLD_END) {
      folds.push({ title: open.title, text: open.lines.join('\n').trim() });
      open = null;
    } else (open?.lines ?? (folds.length === 0 ? before : after)).push(line);
  }
  if (open !== null) before.push(...open.lines);
  const foot = after.join('\n').trim();
  return {
    text: before.join('\n').trim(),
    ...(folds.length === 0 ? {} : { folds }),
    ...(foot === '' ? {} : { foot }),
  };
};

/** The poster writes every fence at column 0 and closes it. */
const fenceAfter = (line: string, fence: string | null): string | null => {
  if (fence === null) return /^`{3,}(?=[^`]*$)/.exec(line)?.[0] ?? null;
  return line === fence ? null : fence;
};
