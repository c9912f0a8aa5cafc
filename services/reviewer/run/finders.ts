/**
 * Sends finders before the review of a large or risky change. Finders are explorers, each of which searches the whole
 * diff for one kind of defect.
 */
import { presentAnswers, type Protect } from '../../../shared/agent/present-result.ts';
import type { Candidates } from '../../../shared/agent/prompt/finder.ts';
import type { ReviewPrompt } from '../../../shared/agent/prompt/review-opening.ts';
import type { DiffFile } from '../../../shared/diff/model.ts';
import { FinderEye, MAX_FINDER_DIFF } from '../../../shared/vocabulary/question.ts';
import { NOTHING_SPENT, type Spent } from '../../../shared/vocabulary/spent.ts';
import { isRiskyChange } from '../parts/risk.ts';
import type { Packet } from '../packet/packet.ts';
import { answersOf, type Asked, type Explorers, spentOf } from './explorers.ts';
import { finderId } from '../../../shared/vocabulary/question.ts';

const LARGE_LINES = 1_000;
const LARGE_FILES = 50;

/** In a later review, only the files that changed since the last one. */
const filesToLookAt = ({ reviewable, delta }: Pick<Packet, 'reviewable' | 'delta'>): readonly DiffFile[] => {
  if (delta === null) return reviewable;
  const changed = new Set(delta.files.filter(({ unchanged }) => !unchanged).map(({ file }) => file));
  return reviewable.filter((file) => changed.has(file));
};

/** A run that only answers in threads has no new code to look at. */
export const wantsFinders = (
  packet: Pick<Packet, 'reviewable' | 'delta'>,
  { diff, size, talk }: Pick<ReviewPrompt, 'diff' | 'size' | 'talk'>,
): boolean => {
  if (talk === true || diff === null || size.changedLines === 0 || diff.length > MAX_FINDER_DIFF) return false;
  const isLarge = size.changedLines > LARGE_LINES || size.files > LARGE_FILES;
  return isLarge || isRiskyChange(filesToLookAt(packet));
};

export type FinderResult = {
  readonly candidates: readonly Candidates[];
  readonly count: number;
  readonly spent: Spent;
};

export const NO_FINDERS: FinderResult = { candidates: [], count: 0, spent: NOTHING_SPENT };

type Finding = {
  readonly runId: string;
  /** The annotated diff, without secrets. */
  readonly diff: string;
  readonly explorers: Explorers;
  readonly protect: Protect;
  readonly boundary: string;
};

/** Returns null while finders are running. A lost finder leaves no notes, and the review continues without it. */
export const askFinders = async (
  { runId, diff, explorers, protect, boundary }: Finding,
  signal: AbortSignal,
): Promise<FinderResult | null> => {
  const eyes = FinderEye.options;
  const questions = eyes.map(
    (eye, index): Asked => ({ id: finderId(runId, index), question: { v: 1, kind: 'find', eye, diff } }),
  );
  const notes = await explorers.ask(questions, signal);
  if (notes === null) return null;
  const waiting = eyes.map((eye) => ({ callId: eye, question: '', files: [] }));
  const answers = await presentAnswers(answersOf(waiting, notes), { protect, boundary }, signal);
  const candidates = eyes.flatMap((eye, index) => {
    const text = answers[index]?.notes ?? '';
    return text === '' ? [] : [{ eye, notes: text }];
  });
  return { candidates, count: eyes.length, spent: spentOf(notes) };
};
