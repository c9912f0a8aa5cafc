/** Which other change requests of a commit hold its status. */
import { describe, expect, test } from 'vitest';
import { readMembers } from '../../../services/poster/place-members.ts';
import type { PosterDeps } from '../../../services/poster/deps.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import { never } from '../../shared/workspace/repository.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createFakeForge } from './fake-forge.ts';
import { FREE_PLACE } from './free-place.ts';

const head = make.sha('head');
const facts = make.changeRequest();
const { changeRequest: own } = facts;
const plan = buildAcknowledgePlan(
  { facts, history: make.history(), policy: make.policy() },
  { input: make.at(head), noteId: null, noticeId: make.runId('notice') },
);

const membersOf = async (places: Readonly<Record<number, string | undefined>>, part: string | undefined) => {
  const { forge } = createFakeForge();
  const open = Object.entries(places).map(([number, statusPlace]): ChangeRequestFacts => {
    const changeRequest = { ...own, number: Number(number) };
    return { ...facts, changeRequest, ...(statusPlace === undefined ? {} : { statusPlace }) };
  });
  const read = {
    ...forge.read,
    readOpenPage: async () => ({ open, last: true, total: open.length, tag: '' }),
    fetchChangeRequest: async ({ number }: { readonly number: number }) =>
      open.find(({ changeRequest }) => changeRequest.number === number) ?? null,
    fetchComments: async () => [],
  };
  // The rest of what a poster has is not asked for.
  const deps = { ...FREE_PLACE, markerSecrets: [make.SECRET] } as unknown as PosterDeps;
  const place = { forge: own.forge, projectId: own.projectId, head };
  const found = await readMembers({ deps, forge: { ...forge, read }, plan, signal: never() }, place, part);
  return found.kind === 'known' ? found.members.map(({ number }) => number) : found.why;
};

describe('the change requests of a commit', () => {
  const others = { [own.number + 1]: 'pipeline 1', [own.number + 2]: 'pipeline 2' };

  test('GL4: one whose gate looks elsewhere holds nobody up', async () => {
    expect(await membersOf(others, 'pipeline 1')).toEqual([own.number + 1]);
    expect(await membersOf(others, 'pipeline 3')).toEqual([]);
  });

  test('all of them count where the commit is the place', async () => {
    const alike = { [own.number + 1]: undefined, [own.number + 2]: undefined };
    expect(await membersOf(alike, undefined)).toEqual([own.number + 1, own.number + 2]);
  });
});
