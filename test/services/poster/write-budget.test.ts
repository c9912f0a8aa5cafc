import { expect, test } from 'vitest';
import type { PosterForge } from '../../../services/poster/deps.ts';
import { withWriteBudget } from '../../../services/poster/write-budget.ts';
import { never } from '../../shared/workspace/repository.ts';
import { changeRequest, comment } from '../../shared/rounds/builders.ts';
import { fixedText } from '../../../services/poster/compose-body.ts';
import { createFakeForge } from './fake-forge.ts';

const { changeRequest: of } = changeRequest();
const body = fixedText`Said.`;

/** Every way to write: the key names it, so that a new one is missed here. */
const WAYS: Readonly<
  Record<
    Exclude<keyof PosterForge['write'], 'fetchOwnVerdict'> | 'reply' | 'resolveThread',
    (forge: PosterForge) => Promise<unknown>
  >
> = {
  createComment: async ({ write }) => write.createComment(of, body, never()),
  editComment: async ({ write }) => write.editComment(of, comment('old'), body, never()),
  submitReview: async ({ write }) => write.submitReview(of, { ...heads, body, comments: [] }, never()),
  clearLeftovers: async ({ write }) => write.clearLeftovers(of, () => true, never()),
  writeStatus: async ({ write }) => write.writeStatus(of, status, never()),
  deleteComment: async ({ write }) => write.deleteComment(of, comment('old'), never()),
  giveVerdict: async ({ write }) => write.giveVerdict(of, { verdict: 'approved', head, body }, never()),
  withdrawVerdicts: async ({ write }) => write.withdrawVerdicts(of, ['approved'], never()),
  react: async ({ write }) => write.react(of, '1', 'eyes', never()),
  reply: async ({ threads }) => threads?.reply(of, 't', body, never()),
  resolveThread: async ({ resolving }) => resolving?.resolveThread(of, 't', never()),
};

const { head, targetHead } = changeRequest();
const heads = { head, base: targetHead, targetHead };
const status = {
  head,
  sourceBranch: 'b',
  state: 'pending',
  context: 'fixpoint',
  description: '',
  targetUrl: null,
} as const;

test.each(Object.entries(WAYS))('%s is refused once the budget is spent', async (_name, write) => {
  const { forge, written } = createFakeForge();
  await expect(write(withWriteBudget(forge, 0))).rejects.toMatchObject({ code: 'WRITE_BUDGET_EXCEEDED' });
  expect(written).toEqual([]);
});

test('as many writes as were granted reach the forge, of all kinds together', async () => {
  const { forge, written } = createFakeForge();
  const limited = withWriteBudget(forge, 3);
  await WAYS.createComment(limited);
  await WAYS.reply(limited);
  await WAYS.resolveThread(limited);
  await expect(WAYS.createComment(limited)).rejects.toMatchObject({ code: 'WRITE_BUDGET_EXCEEDED' });
  expect(written.map(({ what }) => what)).toEqual(['create', 'reply t', 'resolve t']);
});

test('what the forge is told and answers passes unchanged', async () => {
  const { forge } = createFakeForge();
  const told: unknown[] = [];
  const write = {
    ...forge.write,
    react: async (...args: readonly unknown[]) => void told.push(args.slice(0, 3)),
    writeStatus: async () => 'fork' as const,
    clearLeftovers: async () => 3,
    fetchOwnVerdict: async () => null,
    giveVerdict: async () => 'own' as const,
    withdrawVerdicts: async () => 'forbidden' as const,
    submitReview: async () => 'approved' as const,
  };
  const limited = withWriteBudget({ ...forge, write }, 6);
  await WAYS.react(limited);
  expect(told).toEqual([[of, '1', 'eyes']]);
  const answers = [];
  for (const way of ['writeStatus', 'clearLeftovers', 'giveVerdict', 'withdrawVerdicts', 'submitReview'] as const)
    answers.push(await WAYS[way](limited));
  expect(answers).toEqual(['fork', 3, 'own', 'forbidden', 'approved']);
  // The budget is spent, and reading costs nothing.
  expect(await limited.write.fetchOwnVerdict(of, never())).toBeNull();
});

test('a forge without replies stays without', () => {
  const { forge } = createFakeForge();
  expect(withWriteBudget({ ...forge, threads: null, resolving: null }, 3)).toMatchObject({
    threads: null,
    resolving: null,
  });
});
