/** The slot of a project with services as real processes: guard is killed between freeing the slot and waking the next review. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues, until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, type Told } from '../support/fleet-story.ts';
import type { GitlabSim } from '../sim/gitlab/start.ts';

const START_MS = 240_000;
const STORY_MS = 180_000;
const JOB = 'scan';
const REPORT = 'scan.sarif';
const WAITS = 'a CI job that makes a report has not ended';
const NEEDS_SLOT = 'a review of this project needs a free slot';

const ANALYZER = `[[analyzer]]
name = "sast"
from = "ci-artifact"
job = "${JOB}"
artifact = "${REPORT}"
paths = ["sum.js"]
`;

const SARIF = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'scanner' } }, results: [] }] });

let fleet: Fleet<GitlabSim>;
let queues: FleetQueues;

beforeAll(async () => {
  // No sweep repairs the slots during the test.
  const knobs = { lockMs: 1_000, stalledMs: 300, sweepSeconds: 3_600, runningPerProject: 1, more: ANALYZER };
  fleet = await startFleet({ forge: 'gitlab', count: { explorer: 0, reviewer: 0 }, knobs });
  queues = openQueues(fleet);
  await commitBase(fleet);
}, START_MS);

afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

const setJob = (state: string): void =>
  fleet.sim.setProjectCi(fleet.repos[0] ?? '', {
    pipelines: 'detached',
    after: 0,
    jobs: [{ name: JOB, state, artifacts: { [REPORT]: SARIF } }],
  });

const open = async (name: string): Promise<Told> => openStory(fleet, fleet.repos[0] ?? '', name);

const decidedFor = ({ number }: Told, reason: string): number =>
  fleet.records('guard').filter((record) => record.changeRequest === number && record.reason === reason).length;

const runsOf = ({ number }: Told): number =>
  fleet.records('reviewer').filter((record) => record.msg === 'run ended' && record.changeRequest === number).length;

test(
  'a review that waits for a report holds no slot, and a killed guard loses none of those that wait for one',
  async () => {
    setJob('running');
    const waiting = await open('waits-for-report');
    await until(() => decidedFor(waiting, WAITS) > 0);
    const pipeline = (await fleet.sim.createPipelines(waiting.repo)).at(-1) ?? 0;

    setJob('success');
    const first = await open('has-slot');
    await until(() => decidedFor(first, 'the run is announced') > 0);
    const second = await open('waits-for-slot');
    const third = await open('waits-behind');
    for (const told of [second, third]) await until(() => decidedFor(told, NEEDS_SLOT) > 0);

    await Promise.all(fleet.alive('guard').map(async (each) => each.kill()));
    const doomed = await fleet.spawn('guard', { crashAt: 'after-release' });
    await fleet.spawn('reviewer');
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await fleet.spawn('guard');
    for (const told of [first, second, third]) await awaitVerdict(fleet, told);

    await fleet.sim.setJob({ project: waiting.repo, pipeline, name: JOB, state: 'success' });
    await awaitVerdict(fleet, waiting);
    await queues.idle();
    expect([waiting, first, second, third].map(runsOf)).toEqual([1, 1, 1, 1]);
  },
  STORY_MS,
);
