import type { Outcome } from '../../../shared/agent/outcome.ts';
import type { Replayed } from '../../../shared/agent/replay.ts';
import { exceededText } from '../../../shared/vocabulary/exceeded.ts';
import type { Brief } from '../../../shared/rounds/model/brief.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import type { Comparison, Replay } from './replay-run.ts';
import { costOf, turnLines } from '../../../shared/overview/turn-lines.ts';
import type { Transcript } from '../../../shared/agent/transcript.ts';

export type RecordedExploration = { readonly id: string; readonly transcript: Transcript | null };

type Told = Replay & { readonly kind: 'replayed' };

/** A recorded run as text for a terminal. Text of models and repositories is escaped. */
export const replayText = (replay: Told, explorations: readonly RecordedExploration[]): string => {
  const { brief, transcript, ended, draft, comparison } = replay;
  const lines = [
    headLine(brief, transcript),
    ...(transcript === null ? [] : turnLines(transcript)),
    ...explorations.flatMap(explorationLines),
    outcomeLine(ended),
    ...(draft === null ? [] : [`draft: ${draft.findings.length} findings, ${draft.answers.length} answers`]),
    comparisonLine(comparison),
  ];
  return `${lines.join('\n')}\n`;
};

const headLine = ({ changeRequest, runId, review, attempt, head }: Brief, transcript: Transcript | null): string => {
  const { forge, projectId, number } = changeRequest;
  const who = transcript === null ? 'the built-in rules' : escapeForTerminalLine(transcript.start.model);
  const where = `${forge}/${projectId}/${number} at ${head.slice(0, 10)}`;
  return `run ${runId}: ${where}, review ${review}, attempt ${attempt}, by ${who}`;
};

const explorationLines = ({ id, transcript }: RecordedExploration): readonly string[] =>
  transcript === null
    ? [`explorer ${id}: no longer stored`]
    : [
        `${transcript.start.role} ${id}, by ${escapeForTerminalLine(transcript.start.model)}:`,
        ...turnLines(transcript).map((line) => `  ${line}`),
      ];

const outcomeLine = (ended: Replayed | null): string => {
  if (ended === null) return 'outcome: reviewed by the built-in rules only';
  const cost = costOf(ended.spent);
  if (ended.kind === 'unfinished') return `outcome: unfinished, in phase "${ended.phase}"; ${cost}`;
  return `outcome: ${wordsFor(ended.outcome)}; ${cost}`;
};

const wordsFor = (outcome: Outcome): string => {
  switch (outcome.kind) {
    case 'submitted':
      return 'a review was submitted';
    case 'budget_exceeded':
      return `stopped early: ${exceededText(outcome.exceeded)} is used up`;
    case 'violation':
      return `failed, violated the rules: ${escapeForTerminalLine(outcome.problems.join('; '))}`;
    case 'unreadable':
      return 'failed, no readable review';
    case 'refusal':
      return 'failed, the model refused';
    case 'model_failed':
      return `failed, ${escapeForTerminalLine(outcome.code)}`;
    case 'explored':
      return 'notes were written';
    case 'verified':
      return `the claim is ${outcome.verification.outcome}`;
    default:
      return outcome satisfies never;
  }
};

export const comparisonLine = (comparison: Comparison): string => {
  switch (comparison.kind) {
    case 'identical':
      return 'replay: identical to the stored draft';
    case 'differs': {
      const { at, stored, replayed } = comparison.difference;
      const where = escapeForTerminalLine(at === '' ? 'the whole draft' : at);
      return `replay: DIFFERS from the stored draft at ${where}: stored ${escapeForTerminalLine(stored)}, replayed ${escapeForTerminalLine(replayed)}`;
    }
    case 'no_draft':
      return 'replay: the run produced no draft, and none is stored';
    case 'nothing_stored':
      return 'replay: no stored draft to compare with: the run was superseded, or its draft has expired';
    default:
      return comparison satisfies never;
  }
};
