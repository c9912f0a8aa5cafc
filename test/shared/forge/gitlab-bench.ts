/** One GitLab for a test file, with a world of its own for every test, and the sentences that the tests are written in. */
import { afterAll, afterEach, beforeEach } from 'vitest';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { OutgoingInline } from '../../../shared/forge/port.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Fault } from '../../sim/forgejo/faults.ts';
import { signal, text } from './conformance-bench.ts';
import { type GitlabHall, type GitlabWorld, startGitlabHall } from './gitlab-world.ts';

export type GitlabBench = {
  /** Of the running test. */
  readonly world: GitlabWorld;
  readonly at: () => { readonly project: string; readonly iid: number };
  /** Removed after the test. */
  readonly fault: (...args: Parameters<GitlabWorld['sim']['fault']>) => void;
  readonly comments: () => Promise<readonly ForgeComment[]>;
  readonly bodies: () => Promise<readonly string[]>;
  readonly on: (where: keyof GitlabWorld['positions'], body: string) => OutgoingInline;
  readonly review: (inline: readonly OutgoingInline[], head?: CommitSha) => Promise<unknown>;
  /** Requests since the test began. */
  readonly requests: () => GitlabWorld['sim']['requests'];
  /** Writes of the bot since the test began, without ids. */
  readonly written: () => readonly string[];
  /** What the bot posted to such paths since the test began. */
  readonly bodiesSent: (path: RegExp) => readonly unknown[];
};

export const useGitlab = (): GitlabBench => {
  let hall: Promise<GitlabHall> | null = null;
  let current: GitlabWorld | null = null;
  let from = 0;
  const faults: Fault[] = [];

  beforeEach(async () => {
    hall ??= startGitlabHall();
    current = await (await hall).open();
    from = current.sim.requests.length;
  });
  afterEach(async () => {
    const violations = [...bench.world.violations()];
    for (const fault of faults.splice(0)) fault.remove();
    await bench.world.close();
    if (violations.length > 0) throw new Error(`a real GitLab would not have understood: ${violations.join('; ')}`);
  });
  afterAll(async () => {
    await (await hall)?.close();
  });

  const bench: GitlabBench = {
    get world(): GitlabWorld {
      if (current === null) throw new Error('no world has been started');
      return current;
    },
    at: () => ({ project: bench.world.project, iid: 1 }),
    fault: (...args) => void faults.push(bench.world.sim.fault(...args)),
    comments: () => bench.world.forge.read.fetchComments(bench.world.changeRequest, signal),
    bodies: async () => (await bench.comments()).map(({ body }) => body),
    on: (where, body) => ({ position: bench.world.positions[where], body: text(body) }),
    review: (inline, head = bench.world.head) => {
      const { base, changeRequest, forge } = bench.world;
      const outgoing = { head, base, targetHead: base, body: text('summary'), comments: inline };
      return forge.write.submitReview(changeRequest, outgoing, signal);
    },
    requests: () => bench.world.sim.requests.slice(from),
    written: () =>
      bench
        .requests()
        .filter(({ method, user }) => method !== 'GET' && user === bench.world.bot.login)
        .map(({ method, path }) => `${method} ${path.replace(/^.*\/merge_requests\/1/, '').replace(/\/\d+/g, '/N')}`),
    bodiesSent: (path) =>
      bench
        .requests()
        .filter((request) => request.method === 'POST' && path.test(request.path))
        .filter(({ user }) => user === bench.world.bot.login)
        .map(({ body }) => JSON.parse(body) as unknown),
  };
  return bench;
};
