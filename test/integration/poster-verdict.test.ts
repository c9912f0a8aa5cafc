/** The bot's verdict on the forge is given and withdrawn once, despite interruptions. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usually } from '../support/deep.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import type { Fault, FaultStep } from '../sim/forgejo/faults.ts';
import { ONCE, openPosterBench, type PosterBench, REPO } from './poster-bench.ts';

const BOT = 'fixpoint';

let bench: PosterBench;
let number: number;
const faults: Fault[] = [];

beforeAll(async () => {
  bench = await openPosterBench({ totalMs: 30_000 });
});
beforeEach(async () => {
  bench.sim.addCollaborator(REPO, BOT, 'write');
  number = await bench.open();
});
afterEach(() => {
  for (const fault of faults.splice(0)) fault.remove();
});
afterAll(async () => bench?.close());

type Planned = NonNullable<PostPlan['forgeVerdict']>;

const decided = () =>
  bench.sim
    .pullAt({ repo: REPO, number })
    .reviews.filter(({ state }) => state === 'APPROVED' || state === 'REQUEST_CHANGES')
    .map(({ author, state, dismissed }) => `${author.login} ${state}${dismissed ? ' dismissed' : ''}`);
const status = () => bench.sim.snapshot(REPO, number).headStatuses['fixpoint'];
const summary = (): string => {
  const { comments, reviews } = bench.sim.snapshot(REPO, number);
  const found = [...comments, ...reviews].find(({ body }) => body.startsWith('Three findings.'));
  return stripMarkers(found?.body ?? '');
};
const deeds = (from: number) =>
  bench.sim.effects
    .slice(from)
    .filter(({ kind }) => kind.startsWith('review.') && kind !== 'review.comment')
    .map(({ kind, detail }) => `${kind} ${JSON.stringify(detail['state'] ?? null)}`);

const STANDS: Readonly<Record<Planned, readonly string[]>> = {
  approve: [`${BOT} APPROVED`],
  request_changes: [`${BOT} REQUEST_CHANGES`],
  clear: [],
  no_approval: [],
};

const STEPS = ['before-post', 'after-inline', 'after-summary', 'after-verdict', 'before-status', 'after-status'];

describe.each(usually('write' as const, 'admin' as const))('with the right to %s', (right) => {
  beforeEach(() => bench.sim.addCollaborator(REPO, BOT, right));

  describe.each(['approve', 'request_changes'] as const)('%s', (verdict) => {
    test('stands once, beside every comment, before the status', async () => {
      await bench.post(number, { verdict });
      expect({ decided: decided(), said: bench.said(number), status: status() }).toEqual({
        decided: STANDS[verdict],
        said: ONCE,
        status: 'failure',
      });
      expect(summary()).toBe('Three findings.');
    });

    test('is found the second time, and nothing is done', async () => {
      await bench.post(number, { verdict });
      const from = bench.sim.effects.length;
      await bench.post(number, { verdict });
      expect({ decided: decided(), deeds: deeds(from) }).toEqual({ decided: STANDS[verdict], deeds: [] });
    });

    // Without write access, a request for changes is part of the review with the comments, so it has no step of its own.
    const steps = STEPS.filter((step) => step !== 'after-verdict' || right === 'write' || verdict === 'approve');
    test.each(steps.flatMap((step) => [true, false].map((kept) => ({ step, kept }))))(
      'stands once although the poster was killed at $step, its memory kept: $kept',
      async ({ step, kept }) => {
        const memory = new Set<string>();
        const kill = (at: string): void => {
          if (at === step) throw new Error('killed');
        };
        await expect(bench.post(number, { verdict, memory, checkpoint: kill })).rejects.toThrow('killed');
        await bench.post(number, { verdict, ...(kept ? { memory } : {}) });
        expect({ decided: decided(), said: bench.said(number) }).toEqual({ decided: STANDS[verdict], said: ONCE });
      },
    );
  });

  test('a request for changes goes with the comments only where it can be dismissed later', async () => {
    await bench.post(number, { verdict: 'request_changes' });
    const [first] = bench.sim.snapshot(REPO, number).reviews;
    expect([first?.state, first?.inline.length]).toEqual([right === 'admin' ? 'REQUEST_CHANGES' : 'COMMENT', 3]);
  });

  test('a request for changes is taken back when the change is clean, and no comment goes with it', async () => {
    await bench.post(number, { verdict: 'request_changes' });
    await bench.post(number, { verdict: 'clear' });
    expect(decided()).toEqual(right === 'admin' ? [`${BOT} REQUEST_CHANGES dismissed`] : []);
    expect(bench.said(number)).toEqual(ONCE);
  });

  test('an approval is taken back as soon as its head has a successor', async () => {
    await bench.post(number, { verdict: 'approve' });
    await bench.post(number, { verdict: 'no_approval' });
    expect(decided()).toEqual(right === 'admin' ? [`${BOT} APPROVED dismissed`] : []);
  });

  test('a request for changes outlasts a review without a verdict', async () => {
    await bench.post(number, { verdict: 'request_changes' });
    await bench.post(number, { verdict: 'no_approval' });
    expect(decided()).toEqual([`${BOT} REQUEST_CHANGES`]);
  });
});

const UNKNOWN: readonly { readonly name: string; readonly step: FaultStep }[] = [
  { name: 'is cut before it is done', step: { kind: 'reset' } },
  { name: 'is done, but the connection is cut', step: { kind: 'reset', when: 'after' } },
  { name: 'is done, but answered with 500', step: { kind: 'status', status: 500, when: 'after' } },
  { name: 'fails with 500', step: { kind: 'status', status: 500 } },
];

describe('trouble on the way', () => {
  test.each(UNKNOWN)('leaves one approval when giving it $name', async ({ step }) => {
    const fault = bench.sim.fault({ method: 'POST', path: /\/reviews$/ }, [{ kind: 'pass' }, step]);
    faults.push(fault);
    await bench.post(number, { verdict: 'approve' });
    expect({ left: fault.remaining(), decided: decided(), status: status() }).toEqual({
      left: 0,
      decided: [`${BOT} APPROVED`],
      status: 'failure',
    });
  });

  test.each(UNKNOWN)('leaves no approval when taking it back $name', async ({ step }) => {
    await bench.post(number, { verdict: 'approve' });
    const fault = bench.sim.fault({ method: 'DELETE', path: /\/reviews\/\d+$/ }, step);
    faults.push(fault);
    await bench.post(number, { verdict: 'no_approval' });
    expect({ left: fault.remaining(), decided: decided() }).toEqual({ left: 0, decided: [] });
  });

  test('leaves one approval although lists hide it for three seconds', async () => {
    bench.sim.setReadLag(3_000);
    await bench.post(number, { verdict: 'approve' });
    bench.sim.setReadLag(0);
    expect(decided()).toEqual([`${BOT} APPROVED`]);
  });
});

describe('a forge that refuses', () => {
  test.each([403, 422])('with %i costs the verdict alone, and the summary says so once', async (code) => {
    const match = { method: 'POST', path: /\/reviews$/, times: 9 };
    const no = Array.from({ length: 8 }, (): FaultStep => ({ kind: 'status', status: code }));
    faults.push(bench.sim.fault(match, [{ kind: 'pass' }, ...no]));
    await bench.post(number, { verdict: 'approve' });
    await bench.post(number, { verdict: 'approve' });
    expect({ decided: decided(), said: bench.said(number), status: status() }).toEqual({
      decided: [],
      said: ONCE,
      status: 'failure',
    });
    expect(summary()).toBe(
      "Three findings.\n\n_The forge has no approval by the bot: the bot's account does not have permission to do this._",
    );
  });

  test('never hears a verdict about what the bot itself has opened', async () => {
    number = await bench.open(BOT);
    const from = bench.sim.requests.length;
    await bench.post(number, { verdict: 'request_changes' });
    const events = bench.sim.requests
      .slice(from)
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/reviews'))
      .map(({ body }) => JSON.parse(body).event);
    expect({ events, said: bench.said(number) }).toEqual({ events: ['COMMENT'], said: ONCE });
    expect(summary()).toContain("the bot's account opened this change request itself");
  });
});

describe('never by accident', () => {
  test('a plan that says nothing of it makes the poster not even look, whatever stands', async () => {
    await bench.post(number, { verdict: 'approve' });
    const from = bench.sim.effects.length;
    await bench.post(number);
    expect({ decided: decided(), deeds: deeds(from) }).toEqual({ decided: [`${BOT} APPROVED`], deeds: [] });
  });

  test.each(['approve', 'request_changes'] as const)(
    '%s is left out for a head that has moved on, and an older approval goes',
    async (verdict) => {
      await bench.post(number, { verdict: 'approve' });
      const { headRef } = bench.sim.pullAt({ repo: REPO, number });
      const files = { 'b.js': 'four();\n' };
      await bench.sim.commitFiles({ repo: REPO, branch: headRef, files, message: 'More\n', author: 'team' });
      expect(await bench.post(number, { verdict, allowStale: true })).toBe('posted');
      expect(decided()).toEqual([]);
    },
  );

  test('what others decided is never touched', async () => {
    bench.sim.createUser({ login: `human-${number}` });
    await bench.sim.review({ repo: REPO, number, as: `human-${number}`, event: 'REQUEST_CHANGES', body: 'No.' });
    await bench.post(number, { verdict: 'clear' });
    await bench.post(number, { verdict: 'no_approval' });
    expect(decided()).toEqual([`human-${number} REQUEST_CHANGES`]);
  });

  test('what a human has lifted at this head is not given again', async () => {
    await bench.post(number, { verdict: 'request_changes' });
    for (const review of bench.sim.pullAt({ repo: REPO, number }).reviews) review.dismissed = true;
    await bench.post(number, { verdict: 'request_changes' });
    expect(decided()).toEqual([`${BOT} REQUEST_CHANGES dismissed`]);
  });
});
