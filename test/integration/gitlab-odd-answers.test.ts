/** Rare behaviour of GitLab: another kind of hook, a lock held by another client, a project that is being moved. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProject } from '../sim/gitlab/find.ts';
import { textOf } from '../support/story.ts';
import { type Gate, startGate } from './gitlab-gate-stage.ts';

const TEST_MS = 120_000;
const AUTHOR = 'author';
const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

let gate: Gate;
beforeAll(async () => {
  gate = await startGate('[gate]\nci_grace_s = 1');
}, TEST_MS);
afterAll(() => gate?.close(), TEST_MS);

const says = (iid: number, words: string): boolean =>
  gate.sim.mergeRequestAt({ project: gate.project, iid }).notes.some(({ body }) => body.includes(words));

describe('a project that is renamed or transferred', () => {
  test(
    'is read again as long as its answers are null, and nothing is lost or said twice',
    async () => {
      const { sim, stage } = gate;
      const iid = await stage.open('moved', BAD);
      expect(await stage.statusOf(iid)).toBe('failed');
      const end = sim.moveProject(gate.project);
      const before = sim.requests.length;
      await stage.push('moved', CLEAN);
      await sim.until(() => nulls(before) >= 8, TEST_MS);
      end();
      expect(await stage.statusOf(iid)).toBe('success');
      expect(stage.summaryOf(iid)).toContain('**All findings are closed**');
      expect(stage.outcomes().slice(-1)).toEqual(['drafted']);
    },
    TEST_MS,
  );
});

/** Number of project reads since then that were answered with null. */
const nulls = (since: number): number =>
  gate.sim.requests.slice(since).filter(({ method, path }) => method === 'GET' && path.includes('/projects/')).length;

describe('the lock of a commit that another client holds', () => {
  test(
    'is waited for, also when it is held longer than one request waits',
    async () => {
      const { sim, stage } = gate;
      sim.setStatusLockWait(20);
      const refused = (): number =>
        sim.requests.filter(({ path, status }) => path.includes('/statuses/') && status === 409).length;
      let release = (): void => undefined;
      stage.meanwhile(async () => {
        const { headSha } = sim.mergeRequestAt({ project: gate.project, iid });
        release = sim.holdStatusLock(gate.project, headSha);
      });
      const iid = await stage.open('locked', CLEAN);
      await sim.until(() => refused() >= 6, TEST_MS);
      release();
      expect(await stage.statusOf(iid)).toBe('success');
      sim.setStatusLockWait(10_000);
    },
    TEST_MS,
  );
});

describe('a system hook instead of the project’s own', () => {
  test(
    'begins reviews, and the sweep finds what it does not tell of',
    async () => {
      const { sim, stage } = gate;
      const { hooks } = findProject(sim.world, gate.project);
      const [own] = hooks.splice(0);
      if (own === undefined) throw new Error('no hook');
      const { url, token } = own;
      sim.addSystemHook({ url, token, events: ['push_events', 'merge_requests_events', 'repository_update_events'] });
      const before = sim.deliveries.length;
      const iid = await stage.open('systemic', CLEAN);
      expect(await stage.statusOf(iid)).toBe('success');
      const sent = sim.deliveries.slice(before);
      expect(new Set(sent.map(({ event, status }) => `${event} ${status}`))).toEqual(
        new Set(['System Hook 200', 'System Hook 202']),
      );
      await sim.comment({ project: gate.project, iid, as: AUTHOR, body: '@fixpoint help' });
      await stage.calm();
      const answers = (): boolean => says(iid, 'The bot understands these commands');
      expect(answers()).toBe(false);
      await stage.sweep();
      await sim.until(answers, TEST_MS);
      expect(sim.deliveries.slice(before).some(({ event }) => event === 'Note Hook')).toBe(false);
    },
    TEST_MS,
  );
});
