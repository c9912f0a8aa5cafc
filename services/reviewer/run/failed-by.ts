import type { Outcome } from '../../../shared/agent/outcome.ts';
import type { RunnerResult } from './runner.ts';

type Failed = RunnerResult & { readonly kind: 'failed' };

export const failedBy = (outcome: Exclude<Outcome, { readonly kind: 'submitted' | 'budget_exceeded' }>): Failed => {
  const failed = (code: string, rawText: string | null = null): Failed => ({ kind: 'failed', code, rawText });
  switch (outcome.kind) {
    case 'violation':
      return failed('PROTOCOL_VIOLATION');
    case 'unreadable':
      return failed('MODEL_OUTPUT_UNREADABLE', outcome.rawText);
    case 'refusal':
      return failed('MODEL_REFUSED');
    case 'model_failed':
      return failed(outcome.code);
    // This cannot happen here, because only explorers and verifiers end in these ways.
    case 'explored':
    case 'verified':
      return failed('UNEXPECTED');
    default:
      return outcome satisfies never;
  }
};
