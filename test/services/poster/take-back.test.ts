/** The last look of a posting, after its status. */
import pino from 'pino';
import { expect, test } from 'vitest';
import type { PosterDeps } from '../../../services/poster/deps.ts';
import { takeBackIfChanged } from '../../../services/poster/take-back.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { never } from '../../shared/workspace/repository.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST, FREE_PLACE } from './free-place.ts';

const facts = { ...make.changeRequest(), statusPlace: 'pipeline 2' };
const success = { state: 'success', description: 'Round 1' } as const;
const acknowledgement = buildAcknowledgePlan(
  { facts, history: make.history(), policy: make.policy() },
  { input: make.at(make.sha('head')), noteId: null, noticeId: make.runId('notice') },
);
const plan: PostPlan = { ...acknowledgement, kind: 'review', status: success };

const writtenAfter = async (statusPlace: string): Promise<readonly string[]> => {
  const { forge } = createFakeForge();
  const written: string[] = [];
  const read = { ...forge.read, fetchChangeRequest: async () => facts, readOpenPage: async () => EMPTY_LIST };
  const write = {
    ...forge.write,
    writeStatus: async (_of: unknown, { state }: { readonly state: string }) => {
      written.push(state);
      return null;
    },
  };
  // The rest of what a poster has is not asked for.
  const deps = { ...FREE_PLACE, statusContext: 'fixpoint' } as unknown as PosterDeps;
  const posting = { deps, plan, log: pino({ level: 'silent' }), signal: never(), forge: { ...forge, read, write } };
  await takeBackIfChanged(posting, success, { statusPlace });
  return written;
};

test('GL2: writes the verdict again where the gate looks elsewhere by now', async () => {
  expect(await writtenAfter('pipeline 1')).toEqual(['success']);
});

test('writes nothing again where it looks as before', async () => {
  expect(await writtenAfter('pipeline 2')).toEqual([]);
});
