/** Cases as JSON Lines: one case per line. */
import type { z } from 'zod';
import { EvalCase } from './case.ts';

/** `line` counts from 1. */
export type CaseProblem = { readonly line: number; readonly text: string };

export type ParsedCases = { readonly cases: readonly EvalCase[]; readonly problems: readonly CaseProblem[] };

const describeIssue = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;

/** Without the input: it may be long, and it is the text of strangers. */
export const caseIssues = (input: unknown): EvalCase | readonly string[] => {
  const parsed = EvalCase.safeParse(input);
  return parsed.success ? parsed.data : parsed.error.issues.map(describeIssue);
};

const readLine = (text: string): EvalCase | readonly string[] => {
  try {
    return caseIssues(JSON.parse(text));
  } catch {
    return ['this line is not JSON'];
  }
};

export const parseCases = (text: string): ParsedCases => {
  const cases = new Map<string, EvalCase>();
  const problems: CaseProblem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line);
    const at = index + 1;
    if (!('id' in read)) problems.push(...read.map((issue) => ({ line: at, text: issue })));
    else if (cases.has(read.id)) problems.push({ line: at, text: `the id ${read.id} occurs twice` });
    else cases.set(read.id, read);
  }
  return { cases: [...cases.values()], problems };
};

export const printCases = (cases: readonly EvalCase[]): string =>
  cases.map((each) => `${JSON.stringify(each)}\n`).join('');
