import { expect, test } from 'vitest';
import { tellOutage } from '../../../services/poster/tell-outage.ts';
import type { CommitStatus } from '../../../shared/forge/port-statuses.ts';
import { buildOutagePlan } from '../../../shared/rounds/plan/outage-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const plan = buildOutagePlan(
  { facts: make.changeRequest(), history: make.history(), policy: make.policy() },
  { run: make.run(), what: 'model', code: 'MODEL_OVERLOADED', noticeId: make.runId('n') },
);

test.each<readonly [string, readonly CommitStatus[], boolean]>([
  ['where there is no status', [], true],
  ['in place of a pending one', [make.status('pending')], true],
  ['beside the status of another tool', [make.status('failure', { context: 'build' })], true],
  ['in place of no verdict', [make.status('failure')], false],
  ['in place of no pass', [make.status('success')], false],
])('the reason for which a run waits is written %s', async (_where, statuses, isWritten) => {
  const memory = createMemoryForge({ statuses });
  await tellOutage(postingOn(memory, plan));
  const written = memory.statuses.map(({ state, description }) => [state, description]);
  expect(written).toEqual(isWritten ? [['pending', plan.status?.description]] : []);
});

test('nothing is written for a head that was replaced', async () => {
  const memory = createMemoryForge();
  memory.facts = make.changeRequest({ head: make.sha('next') });
  await tellOutage(postingOn(memory, plan));
  expect(memory.statuses).toEqual([]);
});
