/** The status of a commit that is replaced during its run, also in that commit's pipeline. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SimCi, SimPipeline } from '../sim/gitlab/world.ts';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { type Gate, startGate } from './gitlab-gate-stage.ts';

const TEST_MS = 180_000;
const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

const ci = (pipelines: SimCi['pipelines']): SimCi => ({
  pipelines,
  after: 'held',
  jobs: [{ name: 'test', state: 'running' }],
});

let gate: Gate;
beforeAll(async () => {
  gate = await startGate('[gate]\nci_grace_s = 2\nci_deadline_seconds = 60');
  gate.sim.setPipelinesMustSucceed(gate.project, true);
}, TEST_MS);
afterAll(() => gate?.close(), TEST_MS);

const mrAt = (iid: number) => gate.sim.mergeRequestAt({ project: gate.project, iid });

const projectOf = () => mrAt(1).project;

type Said = { readonly pipeline: number; readonly state: string; readonly description: string | null };

const saidIn = (pipelines: readonly SimPipeline[]): readonly Said[] =>
  pipelines.flatMap((pipeline) => {
    const own = projectOf().statuses.findLast((status) => status.pipeline === pipeline && status.kind === 'generic');
    return own === undefined ? [] : [{ pipeline: pipeline.id, state: own.state, description: own.description }];
  });

const pipelinesOf = (branch: string, sha: string): readonly SimPipeline[] =>
  projectOf().pipelines.filter(
    (pipeline) =>
      (pipeline.ref === branch || pipeline.mergeRequest?.sourceBranch === branch) &&
      (pipeline.sha === sha || pipeline.sourceSha === sha),
  );

/** Sources of the replaced commit's pipelines: first the one that our status created, then the project's own. */
const SOURCES = {
  branch: ['external', 'push'],
  detached: ['external', 'merge_request_event'],
  merged_result: ['external', 'merge_request_event'],
  none: ['external'],
} as const;

const KINDS = usually<readonly [string, SimCi | null]>(
  ['branch pipelines', ci('branch')],
  ['merge request pipelines', ci('detached')],
  ['merged results', ci('merged_result')],
  ['no CI', null],
);

describe.each(KINDS)('with %s', (_name, project) => {
  test(
    'the status of a commit that is left in mid-run is ended in each of its pipelines, and names what came instead',
    async () => {
      const { sim, stage } = gate;
      sim.setProjectCi(gate.project, project);
      const branch = `left-${project?.pipelines ?? 'bare'}`;
      let older = '';
      stage.meanwhile(async () => {
        older = mrAt(iid).headSha;
        if (project !== null) {
          // Our pending status is first in the pipeline that it created, then in the branch's pipeline.
          await sim.createPipelines(gate.project);
          const own = mrAt(iid).headPipeline?.pipeline.id ?? 0;
          await gate.until(() => gate.ours(own) === 'pending');
        }
        await stage.push(branch, CLEAN);
        await sim.settled();
      });
      const iid = await stage.open(branch, BAD);
      await gate.until(() => older !== '' && mrAt(iid).headSha !== older);
      if (project !== null) {
        await sim.createPipelines(gate.project);
        const { pipeline } = mrAt(iid).headPipeline ?? {};
        if (pipeline === undefined) throw new Error('no pipeline');
        await sim.setJob({ project: gate.project, pipeline: pipeline.id, name: 'test', state: 'success' });
      }
      expect(await stage.statusOf(iid)).toBe('success');
      const newer = mrAt(iid).headSha;
      const left = pipelinesOf(branch, older);
      expect(left.map(({ source }) => source)).toEqual(SOURCES[project?.pipelines ?? 'none']);
      const ended = { state: 'canceled', description: `Not reviewed: replaced by commit ${newer.slice(0, 10)}` };
      expect(saidIn(left)).toEqual(left.map(({ id }) => ({ pipeline: id, ...ended })));
      const now = mrAt(iid).headPipeline?.pipeline;
      expect(saidIn(now === undefined ? [] : [now])).toMatchObject([{ state: 'success' }]);
      expect(stage.summaryOf(iid)).toContain(`Commit \`${newer.slice(0, 10)}\`: 1 of 1 changed files reviewed`);
    },
    TEST_MS,
  );
});
