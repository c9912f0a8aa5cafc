/** The report of a CI job with services as real processes: guard is killed around the wait for it and its fetch. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues, until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, readerView, type Told } from '../support/fleet-story.ts';
import type { GitlabSim } from '../sim/gitlab/start.ts';

const START_MS = 240_000;
const STORY_MS = 180_000;
const JOB = 'scan';
const REPORT = 'scan.sarif';
const WAITS = 'a CI job that makes a report has not ended';

const ANALYZER = `[[analyzer]]
name = "sast"
from = "ci-artifact"
job = "${JOB}"
artifact = "${REPORT}"
paths = ["sum.js"]
`;

const SARIF = JSON.stringify({
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'scanner' } },
      results: [
        {
          ruleId: 'no-sum',
          level: 'error',
          message: { text: 'Sums are made elsewhere' },
          locations: [{ physicalLocation: { artifactLocation: { uri: 'sum.js' }, region: { startLine: 2 } } }],
        },
      ],
    },
  ],
});

let fleet: Fleet<GitlabSim>;
let queues: FleetQueues;

beforeAll(async () => {
  const knobs = { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5, more: ANALYZER };
  fleet = await startFleet({ forge: 'gitlab', count: { explorer: 0 }, knobs });
  queues = openQueues(fleet);
  await commitBase(fleet);
}, START_MS);

afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

const waits = (): number => fleet.records('guard').filter(({ reason }) => reason === WAITS).length;

const killGuard = async (): Promise<void> => {
  await Promise.all(fleet.alive('guard').map(async (each) => each.kill()));
};

const open = async (name: string): Promise<Told> => {
  fleet.sim.setProjectCi(fleet.repos[0] ?? '', {
    pipelines: 'detached',
    after: 0,
    jobs: [{ name: JOB, state: 'running' }],
  });
  return openStory(fleet, fleet.repos[0] ?? '', name);
};

/** The job ends: its report is there. */
const endJob = async ({ repo }: Told): Promise<void> => {
  const pipeline = (await fleet.sim.createPipelines(repo)).at(-1) ?? 0;
  const at = { project: repo, pipeline, name: JOB };
  fleet.sim.uploadArtifacts(at, { [REPORT]: SARIF });
  await fleet.sim.setJob({ ...at, state: 'success' });
};

const fetches = (): number => fleet.sim.requests.filter(({ path }) => path.includes('/artifacts/')).length;

const findingsOf = (told: Told): readonly string[] =>
  readerView(fleet, told).inline.flatMap(({ body }) => (body.includes('the rule `sast/no-sum`') ? [body] : []));

const expectReviewedOnce = async (told: Told): Promise<void> => {
  await awaitVerdict(fleet, told);
  await queues.idle();
  expect(findingsOf(told)).toHaveLength(1);
  const begun = fleet.records('reviewer').filter(({ msg }) => msg === 'run ended');
  expect(begun.filter(({ changeRequest }) => changeRequest === told.number)).toHaveLength(1);
};

test.each([
  ['before-review', 1],
  ['after-reports', 1],
] as const)(
  'a report is fetched once, and reviewed once, although guard is killed at %s',
  async (at, expected) => {
    const earlier = waits();
    const told = await open(`report-${at}`);
    await until(() => waits() > earlier);
    await killGuard();
    const doomed = await fleet.spawn('guard', { crashAt: at });
    const before = fetches();
    await endJob(told);
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await fleet.spawn('guard');
    await expectReviewedOnce(told);
    expect(fetches() - before).toBe(expected);
  },
  STORY_MS,
);

test(
  'a job is waited for although guard is killed before it schedules the next check',
  async () => {
    await killGuard();
    const doomed = await fleet.spawn('guard', { crashAt: 'before-schedule' });
    const told = await open('report-before-schedule');
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await fleet.spawn('guard');
    await endJob(told);
    await expectReviewedOnce(told);
  },
  STORY_MS,
);
