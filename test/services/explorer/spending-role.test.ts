import { expect, test } from 'vitest';
import { answerWithModel, type ModelQuestion } from '../../../services/explorer/answer-with-model.ts';
import { Agent } from '../../../shared/config/agent-settings.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import { openTree } from '../../../shared/workspace/tree/tree.ts';
import { ClaimToVerify } from '../../../shared/vocabulary/verification.ts';
import { runId } from '../../shared/rounds/builders.ts';
import { memoryTranscripts, stillClock } from '../reviewer/agent-stage.ts';

const CLAIM = ClaimToVerify.parse({
  about: { kind: 'finding', index: 0 },
  path: 'a.js',
  side: 'new',
  startLine: 1,
  line: 1,
  severity: 'P1',
  title: 'It throws',
  quotes: [],
  code: '',
});

const QUESTIONS: readonly ModelQuestion[] = [
  { v: 1, kind: 'explore', question: 'Who calls it?', files: [], changedPaths: [] },
  { v: 1, kind: 'find', eye: 'security', diff: '' },
  { v: 1, kind: 'verify', claim: CLAIM },
];

test('what explorers, finders and verifiers cost is recorded under their own roles', async () => {
  const roles: string[] = [];
  const explorer: Parameters<typeof answerWithModel>[0] = {
    connected: {
      model: { respond: async () => Promise.reject(new Error('not asked')) },
      clock: stillClock(),
      meterOf: (_model, { role }) => {
        roles.push(role);
        throw new Error('seen');
      },
    },
    agent: Agent.parse({}),
    transcripts: memoryTranscripts(),
    redact: createRedactor([]),
    boundaryOf: () => 'b'.repeat(16),
    observe: () => {},
    checkpoint: () => {},
  };
  for (const question of QUESTIONS) {
    const asking = {
      id: `${runId('run')}-${question.kind}-1`,
      tree: openTree('/'),
      bash: null,
      payer: { runId: runId('run'), changeRequest: { forge: 'main', projectId: 1, number: 2 } },
      maxTurns: 1,
      maxRuntimeS: 1,
      isSuperseded: async () => false,
    };
    const signal = new AbortController().signal;
    await expect(answerWithModel(explorer, { asking, question }, signal)).rejects.toThrow('seen');
  }
  expect(roles).toEqual(['explorer', 'finder', 'verifier']);
});
