import { describe, expect, test } from 'vitest';
import { withStatusOf } from '../../../services/guard/announced.ts';
import type { KnownForge } from '../../../services/guard/deps.ts';
import { type ForgeErrorCode, ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { CommitStatus, StatusLink } from '../../../shared/forge/port-statuses.ts';
import { announcementUrl, hashInput } from '../../../shared/rounds/memory/announcement-url.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const CHANGE = make.changeRequest();
const { changeRequest: of, head } = CHANGE;

const urlBy = (secret: string): string => {
  const counted = { review: 1, attempt: 2, runs: 2, superseded: 0, until: 9_000 };
  const announced = { run: make.runId('run'), ...counted, ...hashInput(inputOf(CHANGE)) };
  const wish = { at: { key: make.KEY, head }, pageUrl: 'https://forge.example/a/b/pulls/5', maxLength: 255, secret };
  return announcementUrl(announced, wish) ?? '';
};

const statusWith = (links: readonly StatusLink[], context = 'fixpoint'): CommitStatus => ({
  context,
  state: 'pending',
  description: 'At work',
  createdAtMs: 0,
  links,
});

const readingOf = (answer: () => readonly CommitStatus[]) => {
  let asked = 0;
  // Only this method is called.
  const read = {
    fetchStatuses: async () => {
      asked += 1;
      return answer();
    },
  } as unknown as KnownForge['read'];
  const forge = { read, botIds: new Set([make.BOT_ID]) } as unknown as KnownForge;
  const asking = { forge, of, markerSecrets: [make.SECRET], signal: never() };
  return {
    asked: () => asked,
    historyOf: async (history = make.history(), changeRequest: typeof CHANGE | null = CHANGE) =>
      withStatusOf(asking, { changeRequest, history }),
  };
};

const OURS = { url: urlBy(make.SECRET), creatorId: make.BOT_ID, id: 1, isOver: false };

describe('the status of the head, when nothing else is known', () => {
  test('gives back the run, its attempt and the number of runs, for one reading', async () => {
    const reading = readingOf(() => [statusWith([OURS])]);
    expect(await reading.historyOf()).toMatchObject({
      runsUsed: 2,
      attempts: 2,
      running: { kind: 'review', runId: make.runId('run'), head, attempt: 2, deadlineMs: 9_000_000 },
    });
    expect(reading.asked()).toBe(1);
  });

  test('counts where the forge does not say who wrote it: the signature proves it', async () => {
    const reading = readingOf(() => [statusWith([{ ...OURS, creatorId: null }])]);
    expect((await reading.historyOf()).runsUsed).toBe(2);
  });

  test.each([
    ['a copy by somebody else', statusWith([{ ...OURS, creatorId: 77 }])],
    ['another signature', statusWith([{ ...OURS, url: urlBy('n'.repeat(40)) }])],
    ['another context', statusWith([OURS], 'build')],
    ['no link', statusWith([])],
  ])('counts for nothing with %s', async (_what, status) => {
    const history = make.history();
    expect(await readingOf(() => [status]).historyOf(history)).toEqual(history);
  });

  test('is not read when a summary exists or the change request is closed or gone', async () => {
    const reading = readingOf(() => [statusWith([OURS])]);
    const summary = make.history({ summary: { comment: make.comment(''), marker: {} as never } });
    await reading.historyOf(summary);
    await reading.historyOf(make.history(), make.changeRequest({ state: 'closed' }));
    await reading.historyOf(make.history(), null);
    expect(reading.asked()).toBe(0);
  });

  test('says nothing to an account that may not read it; any other failure is one', async () => {
    const failing = (code: ForgeErrorCode) =>
      readingOf(() => {
        throw new ForgeRequestError({ code, message: 'no', disposition: { kind: 'retry' }, fields: {} });
      });
    for (const code of ['FORGE_FORBIDDEN', 'FORGE_NOT_FOUND'] as const)
      expect(await failing(code).historyOf()).toEqual(make.history());
    await expect(failing('FORGE_UNAVAILABLE').historyOf()).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });
});
