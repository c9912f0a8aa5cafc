/**
 * The prompts of finders: each finder looks at the whole change for one kind of defect. Their claims are candidates,
 * not findings.
 */
import { fence } from '../fence.ts';
import type { TextBlock } from '../model/model.ts';
import type { FinderEye } from '../../vocabulary/question.ts';
import { DATA_RULE } from './system.ts';

const SYSTEM = `You look for defects in one change, for a reviewer who will judge what you find. You see the diff and the tree at the head of the change. Look only for what your task names.

Read the functions around the changed lines, their callers and their tests before you write. Use WriteNotes to write down each candidate as you find it: path and line, what happens and when, and the code that shows it. Also write down candidates that you could not prove, and say which step you did not check. Say nothing about what is fine.

Make all independent calls in one turn. When you have looked at everything, end your turn without a tool call.`;

/** The same for all finders, so that they share the cache of the provider. */
export const finderSystem = (): readonly TextBlock[] => [
  { kind: 'text', text: `${SYSTEM}\n\n${DATA_RULE}`, cache: 'long' },
];

const TASKS: Readonly<Record<FinderEye, string>> = {
  correctness:
    'Your task is correctness: wrong results, crashes, missing cases, races, and callers that the change breaks.',
  security:
    'Your task is security: what untrusted input can reach, missing or weakened permission checks, injection, secrets, and unsafe defaults.',
  removed:
    'Your task is removed behaviour: for each guard, check, test, default or explanatory comment that the change removes or weakens, find out why it was there and what goes wrong without it.',
  tests:
    'Your task is tests: behaviour of the change that no test covers, tests that no longer test what their names say, and tests that, judging by the code, should fail now.',
};

/** The diff comes first, so that the prompts of all finders begin in the same way. It must be redacted already. */
export const finderOpening = (
  { eye, diff }: { readonly eye: FinderEye; readonly diff: string },
  boundary: string,
): readonly TextBlock[] => [
  {
    kind: 'text',
    text: `This is the diff. Each line begins with +, - or a space, then its line numbers in two columns, old side and new side:\n${fence('diff', diff, boundary)}`,
    cache: true,
  },
  { kind: 'text', text: TASKS[eye] },
];

/** The notes of a finder, already fenced. */
export type Candidates = { readonly eye: FinderEye; readonly notes: string };

export const candidatesSection = (candidates: readonly Candidates[]): string | null =>
  candidates.length === 0
    ? null
    : `Each explorer searched this change for one kind of defect; together they noted these candidates. They are unproven: judge each one against the code, report what you can show, and leave out the rest.\n${candidates
        .map(({ eye, notes }) => `${eye}:\n${notes}`)
        .join('\n')}`;
