/** Reports that CI jobs upload as analyzers of the operator, on a simulated GitLab with real git. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GitlabSim } from '../sim/gitlab/start.ts';
import type { NewJob, SimCi } from '../sim/gitlab/world.ts';
import { textOf } from '../support/story.ts';
import { commit } from './head-deeds.ts';
import { startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const TEST_MS = 240_000;
const JOB = 'sast scan';
const REPORT = 'reports/sast.sarif';

/** The section of the project replaces the analyzers of the installation. */
const SETTINGS = `[rounds]
max = 5
[gate]
wait_for_ci = false
ci_grace_s = 3
ci_deadline_seconds = 10
[[analyzer]]
name = "other"
from = "ci-artifact"
job = "a job of other projects"
artifact = "other.sarif"
[[project]]
match = ["shop-team/*"]
[[project.analyzer]]
name = "sast"
from = "ci-artifact"
job = "${JOB}"
artifact = "${REPORT}"
paths = ["*.{js,pl}"]
`;

let stage: VerdictStage;
let sim: GitlabSim;
beforeAll(async () => {
  stage = await startVerdictStage('gitlab', '', SETTINGS);
  if ('traits' in stage.sim) throw new Error('not a GitLab');
  sim = stage.sim;
}, TEST_MS);
afterAll(async () => stage?.close(), TEST_MS);

type Hit = { readonly path: string; readonly line: number };

const sarif = (hits: readonly Hit[], version = '2.1.0'): string =>
  JSON.stringify({
    version,
    runs: [
      {
        tool: { driver: { name: 'scanner' } },
        results: hits.map(({ path, line }) => ({
          ruleId: 'no-price',
          level: 'error',
          message: { text: 'Prices are not constants' },
          locations: [{ physicalLocation: { artifactLocation: { uri: path }, region: { startLine: line } } }],
        })),
      },
    ],
  });

const PRICE = 'export const price = 3;';
const FIXED = 'export const price = readPrice();';

const ciWith = (job: Omit<NewJob, 'name'> | null, more: Partial<SimCi> = {}): SimCi => ({
  pipelines: 'detached',
  after: 0,
  jobs: [{ name: 'test', state: 'success' }, ...(job === null ? [] : [{ ...job, name: JOB }])],
  ...more,
});
const uploads = (text: string, state = 'success') => ({ state, artifacts: { [REPORT]: text } });

const inlineOf = (number: number): readonly string[] => stage.look(number).inline.map(({ body }) => body);
const WAITS = /a CI job that makes a report has not ended/;

test(
  'a review waits for the job, posts what the report of its head has, and resolves it by the report of a later head',
  async () => {
    sim.setProjectCi(stage.repo, ciWith({ state: 'running' }));
    const number = await stage.open('prices', textOf(PRICE));
    await stage.decidedOn(number, WAITS);
    expect(stage.outcomes()).toEqual([]);
    const [pipeline = 0] = await sim.createPipelines(stage.repo);
    const at = { project: stage.repo, pipeline, name: JOB };
    sim.uploadArtifacts(at, { [REPORT]: sarif([{ path: `/builds/${stage.repo}/prices.js`, line: 1 }]) });
    await sim.setJob({ ...at, state: 'failed' });
    expect(await stage.statusOf(number)).toBe('failed');
    expect(inlineOf(number)).toEqual([expect.stringContaining('the rule `sast/no-price`')]);
    const begun = (await stage.decisions(number)).filter(({ reason }) => reason.startsWith('review 1, attempt 1'));
    expect(begun).toHaveLength(1);

    sim.setProjectCi(stage.repo, ciWith(uploads(sarif([{ path: 'prices.js', line: 3 }]))));
    await stage.push('prices', textOf('// one', '// two', PRICE));
    expect(await stage.statusOf(number)).toBe('failed');
    expect(inlineOf(number).filter((body) => body.includes('the rule `sast/'))).toHaveLength(1);

    sim.setProjectCi(stage.repo, ciWith(uploads(sarif([]))));
    await stage.push('prices', textOf(FIXED));
    expect(await stage.statusOf(number)).toBe('success');
    const { comments, inline } = stage.look(number);
    expect([...comments, ...inline].map(({ body }) => body).join('\n')).toMatch(
      /The problem found by `sast\/no-price` is (?:fixed|gone)/,
    );
  },
  TEST_MS,
);

const LARGE = ' '.repeat(32 * 1024 * 1024 + 1);

const BAD: readonly (readonly [what: string, ci: SimCi, reason: string])[] = [
  ['unknown', ciWith(null), `has no report: this commit has no CI job "${JOB}" that the bot's account can see`],
  ['endless', ciWith({ state: 'running' }), `has no report: the CI job "${JOB}" did not end in time`],
  ['held', ciWith({ state: 'manual' }), `has no report: the CI job "${JOB}" waits for a person to start it`],
  ['skipped', ciWith({ state: 'skipped' }), `has no report: the CI job "${JOB}" was skipped or cancelled`],
  ['crashed', ciWith({ state: 'failed' }), `has no report: the CI job "${JOB}" failed without uploading "${REPORT}"`],
  ['empty', ciWith(uploads(sarif([]), 'failed')), `reported nothing, although its CI job "${JOB}" failed`],
  [
    'elsewhere',
    ciWith({ state: 'success', artifacts: { 'other.sarif': sarif([]) } }),
    `has no report: the CI job "${JOB}" did not upload "${REPORT}", or the file has expired`,
  ],
  [
    'expired',
    ciWith({ ...uploads(sarif([])), artifactsExpired: true }),
    `has no report: the CI job "${JOB}" did not upload "${REPORT}", or the file has expired`,
  ],
  ['large', ciWith(uploads(LARGE)), 'wrote more than 33554432 bytes'],
  ['old', ciWith(uploads(sarif([], '2.0.0'))), 'wrote SARIF version 2.0.0; only 2.1.0 is read'],
  ['html', ciWith(uploads('<html>')), 'wrote no SARIF: expected a JSON object with "version" and "runs"'],
  [
    'outside',
    ciWith(uploads(sarif([{ path: '/etc/passwd', line: 1 }]))),
    'reported 1 result without a place inside of the repository',
  ],
];

test.each(BAD)(
  'a review without a report that can be relied on (%s) does not pass, and says why',
  async (what, ci, reason) => {
    sim.setProjectCi(stage.repo, ci);
    const number = await stage.open(what, textOf(FIXED));
    expect(await stage.statusOf(number)).toBe('canceled');
    expect(stage.summaryOf(number)).toContain(`analyzer \`sast\` ${reason}`);
  },
  TEST_MS,
);

test(
  'a language that only the report knows passes with a report of its head, and not without one',
  async () => {
    for (const [branch, ci, status, said] of [
      ['known', ciWith(uploads(sarif([]))), 'success', 'by the analyzer sast: 1 line of Perl in 1 file'],
      ['unknown', ciWith({ state: 'skipped' }), 'canceled', 'no rule knows Perl (1 file), and neither an analyzer nor'],
    ] as const) {
      sim.setProjectCi(stage.repo, ci);
      await commit(stage, { branch, files: { [`${branch}.pl`]: textOf('print 1;') } });
      const number = await stage.open(branch, textOf(FIXED));
      expect(await stage.statusOf(number)).toBe(status);
      expect(stage.summaryOf(number)).toContain(said);
    }
  },
  TEST_MS,
);

test(
  'the report of a merge with the target branch counts too',
  async () => {
    sim.setProjectCi(
      stage.repo,
      ciWith(uploads(sarif([{ path: 'merged.js', line: 1 }])), { pipelines: 'merged_result' }),
    );
    const number = await stage.open('merged', textOf(PRICE));
    expect(await stage.statusOf(number)).toBe('failed');
    expect(inlineOf(number)).toEqual([expect.stringContaining('the rule `sast/no-price`')]);
  },
  TEST_MS,
);
