import { expect, it } from 'vitest';
import { explorerAnswer } from '../../../shared/agent/explorer-answer.ts';
import type { Outcome } from '../../../shared/agent/outcome.ts';

const exceeded = { budget: 'turns', scope: 'run', limit: 32 } as const;
const submission = { summary: '', findings: [], answers: [], omitted: [] };

it.each<[Outcome, string, string]>([
  [{ kind: 'explored', notes: 'n', found: true }, 'found', 'n'],
  [{ kind: 'explored', notes: '## Callers', found: false }, 'nothing_found', ''],
  [{ kind: 'budget_exceeded', exceeded, notes: 'half' }, 'budget_exceeded', 'half'],
  [{ kind: 'refusal', category: 'cyber', notes: 'part' }, 'failed', 'part'],
  [{ kind: 'unreadable', rawText: 'x', notes: 'part' }, 'failed', 'part'],
  [{ kind: 'violation', problems: [], notes: 'part' }, 'failed', 'part'],
  [{ kind: 'model_failed', code: 'X', notes: 'part' }, 'failed', 'part'],
  [{ kind: 'submitted', submission }, 'failed', ''],
])('an explorer that ended with %o has %s', (outcome, expected, notes) => {
  expect(explorerAnswer('c1', outcome)).toEqual({ callId: 'c1', outcome: expected, notes });
});
