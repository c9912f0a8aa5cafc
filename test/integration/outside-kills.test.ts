/**
 * An external reviewer, while the fleet's reviewer process is killed before or after it waits for the answer: there is
 * one request, one answer and one thread. Only in the deep run.
 */
import { afterEach, expect, test } from 'vitest';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { shardOf } from '../support/deep.ts';
import { AUTHOR, type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetSim, handsOn } from '../support/fleet-forge.ts';
import {
  awaitVerdict,
  commitBase,
  findingsIn,
  openStory,
  PUSHES,
  readerView,
  statusOf,
  type Told,
} from '../support/fleet-story.ts';
import { makeToken } from '../support/outside-settings.ts';
import { feedback, finding, hear, hearRequest, type Speaker, speakerOverHttp } from '../support/outside.ts';

const START_MS = 240_000;
const VERDICT_MS = 120_000;

/** At `after-request` the request was sent; at the last two steps the answer was received. */
const STEPS = ['after-request', 'before-request', 'before-draft', 'before-report'] as const;
const KINDS: readonly ForgeKind[] = ['forgejo', 'gitea', 'gitlab'];

/** Each case needs its own fleet. The runner's unit tests cover a second execution of one run. */
const DEEP = process.env['FIXPOINT_DEEP'] === '1';

let fleet: Fleet<FleetSim> | undefined;

afterEach(async () => {
  await fleet?.close();
  fleet = undefined;
}, START_MS);

const start = async (
  kind: ForgeKind,
): Promise<{ readonly own: Fleet<FleetSim>; readonly rex: Speaker; readonly ann: Speaker }> => {
  const tokens = { ann: makeToken(), rex: makeToken() };
  const clients = [
    { name: 'ann', role: 'author', token: tokens.ann },
    { name: 'rex', role: 'reviewer', token: tokens.rex },
  ] as const;
  const own: Fleet<FleetSim> = await startFleet({
    forge: kind,
    count: { explorer: 0, reviewer: 0 },
    knobs: { lockMs: 1_000, stalledMs: 300, outside: { reviews: true, clients } },
  });
  fleet = own;
  await commitBase(own);
  const address = own.records('ingress').find(({ msg }) => msg === 'ingress listens');
  const url = `http://127.0.0.1:${String(address?.['port'])}`;
  return { own, rex: speakerOverHttp(url, 'rex', tokens.rex), ann: speakerOverHttp(url, 'ann', tokens.ann) };
};

/** The built-in rules find three other defects. */
const SLOW = finding({
  id: 'R-1',
  severity: 'P2',
  file: 'sum.js',
  line: 1,
  repro: 'Nothing tests this.',
  evidence: 'sum',
});

const typesHeardBy = async (speaker: Speaker): Promise<readonly string[]> =>
  (await speaker.heard()).map(({ message }) => message.type);

const secondReview = async (own: Fleet<FleetSim>, rex: Speaker, told: Told): Promise<void> => {
  const files = { ...PUSHES[1], ...PUSHES[2] };
  await handsOn(own.sim).commit({ ...told, files, message: 'Mend all of it\n', author: AUTHOR });
  const second = await hearRequest(rex, 2);
  const standing = second.review.open_findings.map(({ id }) => finding({ id, status: 'fixed', severity: 'P1' }));
  expect(standing).toHaveLength(4);
  await rex.say(...feedback({ from: 'rex', to: second, findings: standing }));
  await own.sim.until(() => statusOf(own, told) === 'success', VERDICT_MS);
};

const KILLS = shardOf(
  'kills',
  KINDS.flatMap((kind) => STEPS.map((step) => ({ kind, step }))),
);

test.runIf(DEEP).each(KILLS)(
  'on $kind a reviewer that is killed at $step loses no answer and asks nobody twice',
  async ({ kind, step }) => {
    const { own, rex, ann } = await start(kind);
    const doomed = await own.spawn('reviewer', { crashAt: step });
    const told = await openStory(own, own.repos[0] ?? '', 'change');
    const follow = async (): Promise<void> => {
      await doomed.exited;
      await own.spawn('reviewer');
    };
    const following = follow();
    if (!['before-draft', 'before-report'].includes(step)) await following;
    const first = await hearRequest(rex);
    expect((await rex.say(...feedback({ from: 'rex', to: first, findings: [SLOW] }))).status).toBe(202);
    await following;
    await awaitVerdict(own, told, VERDICT_MS);
    expect(statusOf(own, told)).toBe(kind === 'gitlab' ? 'failed' : 'failure');
    expect(findingsIn(readerView(own, told))).toHaveLength(4);
    await hear(ann, 'review_feedback');
    await secondReview(own, rex, told);
    await hear(ann, 'review_lgtm');
    expect(await typesHeardBy(rex)).toEqual(['review_request', 'review_request']);
    expect(await typesHeardBy(ann)).toEqual(['review_feedback', 'review_lgtm']);
    expect(readerView(own, told).comments).toHaveLength(2);
  },
  START_MS + VERDICT_MS,
);
