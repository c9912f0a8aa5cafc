/** What `--json` prints: each review, each step, and the kill. */
import { stripMarkers } from '../../../shared/rounds/memory/marker.ts';
import type { DemoSight } from './forge.ts';
import type { KillReport } from './kill.ts';
import { findingIn } from './markers-in.ts';
import type { Step } from './step.ts';

export type DemoComment = {
  readonly path: string;
  readonly line: number;
  readonly side: 'new' | 'old';
  readonly severity: string;
  readonly findingId: string;
  readonly threadState: string;
  readonly body: string;
};

export type DemoRound = {
  readonly head: string;
  readonly verdict: string;
  /** New comments of this review. */
  readonly comments: readonly DemoComment[];
};

export type StepReport = {
  readonly name: string;
  readonly verdict: string;
  readonly status: string;
  /** State of each finding, by id. */
  readonly findings: Readonly<Record<string, string>>;
  readonly modelCalls: number;
  readonly costUsd: number;
};

export type DemoReport = {
  readonly rounds: readonly DemoRound[];
  readonly steps: readonly StepReport[];
  /** Null when the poster was not killed. */
  readonly kill: KillReport | null;
};

export const readRound = (step: Step & { readonly review: number }, sight: DemoSight, secret: string): DemoRound => {
  const comments = sight.inline.flatMap(({ path, line, side, body }) => {
    const marker = findingIn(body, secret);
    if (marker === null || marker.review !== step.review) return [];
    const { severity, id: findingId, state: threadState } = marker;
    return [{ path, line, side, severity, findingId, threadState, body: stripMarkers(body) }];
  });
  return { head: step.head, verdict: step.verdict, comments };
};

export const reportStep = ({ name, verdict, status, threads, spent }: Step): StepReport => ({
  name,
  verdict,
  status: status.state,
  findings: Object.fromEntries(threads.map(({ id, state }) => [id, state])),
  modelCalls: spent.modelCalls,
  costUsd: spent.costUsd,
});
