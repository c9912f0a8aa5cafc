/** What the seeded reviewer reports: code patterns, and defects that a test plants in comments. */
import type { DiffLine } from './read-diff.ts';

export type Defect = {
  readonly path: string;
  readonly line: number;
  readonly severity: 'P0' | 'P1' | 'P2' | 'P3';
  readonly title: string;
  readonly body: string;
  readonly evidence: string;
};

type Pattern = { readonly find: RegExp; readonly severity: Defect['severity']; readonly title: string };

const PATTERNS: readonly Pattern[] = [
  { find: /\beval\(/, severity: 'P1', title: 'Evaluates text as code' },
  { find: /\b(?:SELECT|INSERT|UPDATE|DELETE)\b.*(?:['"`]\s*\+|\$\{)/, severity: 'P1', title: 'Builds SQL from text' },
  { find: /\.innerHTML\s*=/, severity: 'P1', title: 'Writes unescaped HTML' },
  { find: /rejectUnauthorized:\s*false|verify\s*=\s*False/, severity: 'P1', title: 'Switches off certificate checks' },
  { find: /\bcatch\b[^{]*\{\s*\}|except:\s*pass/, severity: 'P2', title: 'Swallows the error' },
  { find: /while\s*\(?\s*(?:true|True)\b/, severity: 'P2', title: 'Loops without a bound' },
  { find: /\b(?:console\.log|System\.out\.print|print)\b\s*\(/, severity: 'P3', title: 'Leaves output for debugging' },
];

/** `DEFECT(P1: forgets to close the file)` in a comment. */
const PLANTED = /DEFECT\((?<severity>P[0-3]):\s*(?<title>[^)]+)\)/;

const isSeverity = (word: string | undefined): word is Defect['severity'] => /^P[0-3]$/.test(word ?? '');

const judge = (text: string): Pick<Defect, 'severity' | 'title'> | null => {
  const { severity, title } = PLANTED.exec(text)?.groups ?? {};
  if (isSeverity(severity) && title !== undefined) return { severity, title };
  return PATTERNS.find(({ find }) => find.test(text)) ?? null;
};

/** Only in added lines, in the order of the diff. */
export const findDefects = (lines: readonly DiffLine[]): readonly Defect[] =>
  lines.flatMap(({ path, line, kind, text }) => {
    const found = kind === 'added' ? judge(text) : null;
    if (found === null) return [];
    const { severity, title } = found;
    const evidence = text.trim();
    return [{ path, line, severity, title, body: `${title}: \`${evidence}\` in ${path}.`, evidence }];
  });
