import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { acknowledge } from '../../../services/poster/acknowledge.ts';
import { ForgeRequestError, ForgeUnknownOutcomeError } from '../../../shared/forge/errors.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const one = buildAcknowledgePlan(context, { input: inputOf(context.facts), noteId: 7, noticeId: make.runId('n') });
const plan = { ...one, reactions: ['7', '8'] };

const gone = new ForgeRequestError({ code: 'FORGE_NOT_FOUND', message: 'gone', disposition: { kind: 'fail' } });
const unknown = new ForgeUnknownOutcomeError({ reason: 'answer' }, undefined);

/** `refuse` says how the forge answers the reaction to one comment. */
const acknowledgeWith = async (refuse: (commentId: string) => Error | null) => {
  const { forge } = createFakeForge();
  const done: string[] = [];
  const deps = posterDeps({
    loadPlan: async () => plan,
  });
  const read = {
    ...forge.read,
    fetchChangeRequest: async () => context.facts,
    fetchStatuses: async () => [],
    readOpenPage: async () => EMPTY_LIST,
  };
  const write = {
    ...forge.write,
    writeStatus: async () => {
      done.push('status');
      return null;
    },
    react: async (_of: unknown, commentId: string) => {
      const refusal = refuse(commentId);
      if (refusal !== null) throw refusal;
      done.push(`react ${commentId}`);
    },
  };
  const log = pino({ level: 'silent' });
  const ending = await acknowledge({ deps, plan, log, signal: never(), forge: { ...forge, read, write } }, 1).then(
    () => 'done',
    (error: unknown) => error,
  );
  return { done, ending };
};

describe('an acknowledgement', () => {
  test('F-R9: writes the pending status whatever the reaction does', async () => {
    expect(await acknowledgeWith(() => unknown)).toEqual({ done: ['status'], ending: unknown });
  });

  test('F-R9: reacts to the other comments when one is gone', async () => {
    expect(await acknowledgeWith((id) => (id === '7' ? gone : null))).toEqual({
      done: ['status', 'react 8'],
      ending: 'done',
    });
  });
});
