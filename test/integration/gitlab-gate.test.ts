/**
 * GitLab's merge gate, by its own checks, with "Pipelines must succeed" and auto-merge: it is never open while the bot's
 * verdict is not a pass.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SimCi } from '../sim/gitlab/world.ts';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { type Gate, startGate } from './gitlab-gate-stage.ts';

const TEST_MS = 180_000;
const [OWNER, AUTHOR] = ['shop-team', 'author'];
const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

const ci = (pipelines: SimCi['pipelines'], more: Partial<SimCi> = {}): SimCi => ({
  pipelines,
  after: 'held',
  jobs: [{ name: 'test', state: 'running' }],
  ...more,
});

let gate: Gate;
beforeAll(async () => {
  gate = await startGate('[gate]\nci_grace_s = 2\nci_deadline_seconds = 60');
  gate.sim.setPipelinesMustSucceed(gate.project, true);
}, TEST_MS);
afterEach(() => {
  const found = [...gate.faults(), ...gate.openWindows()];
  if (found.length > 0) throw new Error(found.join('; '));
});
afterAll(async () => {
  const windows = gate.windows().map(({ ms }) => ms);
  const { all, open } = gate.looks();
  process.stdout.write(
    `the gate was looked at ${all} times, and open with a pass ${open} times; from a pipeline to our status in it: ${windows.join(', ')} ms\n`,
  );
  await gate.close();
}, TEST_MS);

const mrAt = (iid: number) => gate.sim.mergeRequestAt({ project: gate.project, iid });
const isMergeable = (iid: number): boolean => gate.sim.gateOf({ project: gate.project, iid }).isMergeable;
const says = (iid: number, words: string): boolean => mrAt(iid).notes.some(({ body }) => body.includes(words));
/** Our status keeps the pipeline from passing. It is `running` as soon as it has an address. */
const isHeld = (pipeline: number): boolean => ['pending', 'running'].includes(gate.ours(pipeline) ?? '');
const armed = (iid: number): void => gate.sim.armAutoMerge({ project: gate.project, iid, as: OWNER });

const open = async (branch: string, content: string): Promise<number> => {
  const iid = await gate.stage.open(branch, content);
  gate.watch(iid);
  armed(iid);
  return iid;
};

/** Creates the awaited pipelines; returns the one that decides about merging. */
const makePipelines = async (iid: number): Promise<number> => {
  await gate.sim.createPipelines(gate.project);
  const id = mrAt(iid).headPipeline?.pipeline.id;
  if (id === undefined) throw new Error('no pipeline was made');
  return id;
};

const runTo = (pipeline: number, state: string): Promise<void> =>
  gate.sim.setJob({ project: gate.project, pipeline, name: 'test', state });

/** Does the work while the review runs, so that no grace period for CI ends before it on a slow machine. */
const duringReview = <Value>(work: () => Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    gate.stage.meanwhile(async () => {
      try {
        resolve(await work());
      } catch (error) {
        reject(error);
      }
    });
  });

/** The pipeline is created after our pending status, gets that status too, and ends before the review. */
const passDuringReview = (numberOf: () => number): Promise<number> =>
  duringReview(async () => {
    const pipeline = await makePipelines(numberOf());
    await gate.until(() => isHeld(pipeline));
    await runTo(pipeline, 'success');
    expect(isMergeable(numberOf())).toBe(false);
    return pipeline;
  });

const KINDS = usually<readonly [string, SimCi]>(
  ['branch pipelines, GitLab’s default', ci('branch')],
  ['merge request pipelines', ci('detached')],
  ['merged results', ci('merged_result')],
);

describe.each(KINDS)('with %s', (_name, project) => {
  beforeAll(() => gate.sim.setProjectCi(gate.project, project));

  test(
    'GL2: the pipeline that came after our pending waits for the verdict, and then it is merged',
    async () => {
      let iid = 0;
      const during = passDuringReview(() => iid);
      iid = await open(`clean-${project.pipelines}`, CLEAN);
      const pipeline = await during;
      await gate.until(() => mrAt(iid).state === 'merged');
      expect(gate.ours(pipeline)).toBe('success');
    },
    TEST_MS,
  );

  test(
    'GL2: a pipeline that comes minutes after the verdict gets it too',
    async () => {
      const iid = await open(`late-${project.pipelines}`, BAD);
      expect(await gate.stage.statusOf(iid)).toBe('failed');
      const pipeline = await makePipelines(iid);
      await gate.until(() => gate.ours(pipeline) === 'failed');
      await runTo(pipeline, 'success');
      expect(isMergeable(iid)).toBe(false);
      await gate.stage.calm();
      expect(mrAt(iid).state).toBe('opened');
    },
    TEST_MS,
  );

  test(
    'GL2: the sweep finds the newer pipeline of which no event told',
    async () => {
      const iid = await open(`swept-${project.pipelines}`, BAD);
      expect(await gate.stage.statusOf(iid)).toBe('failed');
      gate.sim.setDeliveryFilter(() => 'drop');
      const pipeline = await makePipelines(iid);
      await gate.stage.sweep();
      gate.sim.setDeliveryFilter(() => 'send');
      await gate.until(() => gate.ours(pipeline) === 'failed');
      await runTo(pipeline, 'success');
      expect(isMergeable(iid)).toBe(false);
    },
    TEST_MS,
  );
});

describe('with a .gitlab-ci.yml that is broken', () => {
  test(
    'GL5: the verdict is no pass, and nothing is merged',
    async () => {
      gate.sim.setProjectCi(gate.project, ci('branch', { yamlErrors: 'jobs config is missing' }));
      const iid = await open('broken', CLEAN);
      await makePipelines(iid);
      await gate.until(() => says(iid, 'CI has failed'));
      await gate.stage.calm();
      expect([mrAt(iid).state, isMergeable(iid)]).toEqual(['opened', false]);
    },
    TEST_MS,
  );
});

describe('with a pipeline that is run again', () => {
  test(
    'GL5: the verdict follows its CI, down and up',
    async () => {
      gate.sim.setProjectCi(gate.project, ci('branch'));
      let iid = 0;
      const made = duringReview(async () => makePipelines(iid));
      iid = await open('again', CLEAN);
      const pipeline = await made;
      await gate.until(() => isHeld(pipeline));
      await runTo(pipeline, 'failed');
      await gate.until(() => gate.ours(pipeline) === 'failed');
      expect(says(iid, 'CI has failed: `test`')).toBe(true);
      armed(iid);
      await runTo(pipeline, 'retried');
      await gate.stage.calm();
      expect([gate.ours(pipeline), isMergeable(iid)]).toEqual(['failed', false]);
      await runTo(pipeline, 'success');
      await gate.until(() => mrAt(iid).state === 'merged');
    },
    TEST_MS,
  );
});

describe('with a fork', () => {
  const FORKER = 'forker';
  const fork = async (name: string, project: SimCi): Promise<number> => {
    const { sim } = gate;
    const from = await sim.forkProject(gate.project, FORKER);
    from.path = name;
    const source = `${FORKER}/${name}`;
    sim.setProjectCi(source, project);
    const wish = { project: source, branch: 'idea', message: 'Idea\n', author: FORKER };
    await sim.commitFiles({ ...wish, files: { [`${name}.js`]: CLEAN } });
    const made = { project: gate.project, sourceProject: source, sourceBranch: 'idea', title: name, author: FORKER };
    return (await sim.openMergeRequest(made)).iid;
  };
  beforeAll(() => void gate.sim.createUser({ login: FORKER }));

  test(
    'GL5: whose pipelines run there the status is said to be unset, and the verdict waits for its CI',
    async () => {
      const iid = await fork('private', ci('detached'));
      const sourceProject = `${FORKER}/private`;
      await gate.sim.createPipelines(sourceProject);
      await gate.until(() => mrAt(iid).notes.length > 0);
      await gate.stage.calm();
      expect(says(iid, '**No problems found**')).toBe(false);
      const pipeline = mrAt(iid).headPipeline?.pipeline.id ?? 0;
      await gate.sim.setJob({ project: sourceProject, pipeline, name: 'test', state: 'success' });
      await gate.until(() => says(iid, '**No problems found**') && says(iid, 'runs in the fork'));
    },
    TEST_MS,
  );

  test(
    'whose pipelines run in the project is held like any other',
    async () => {
      const iid = await fork('member', ci('detached', { forksInTarget: true }));
      gate.watch(iid);
      armed(iid);
      await gate.sim.createPipelines(`${FORKER}/member`);
      const pipeline = mrAt(iid).headPipeline?.pipeline.id ?? 0;
      await gate.until(() => isHeld(pipeline));
      await runTo(pipeline, 'success');
      await gate.until(() => mrAt(iid).state === 'merged');
    },
    TEST_MS,
  );
});

describe('what the gate cannot hold', () => {
  test(
    'is a pipeline that ends before our status can be in it: the gate is closed again a moment later',
    async () => {
      gate.sim.setProjectCi(gate.project, ci('branch', { jobs: [{ name: 'test', state: 'success' }] }));
      const iid = await gate.stage.open('quick', BAD);
      await gate.until(() => mrAt(iid).headPipeline !== null);
      const pipeline = await makePipelines(iid);
      expect(isMergeable(iid)).toBe(true);
      await gate.until(() => gate.ours(pipeline) !== null);
      expect(isMergeable(iid)).toBe(false);
    },
    TEST_MS,
  );
});

describe('with a protected source branch', () => {
  test(
    'GL1: the review takes place, the status is said to be unset, and no pipeline is made that holds it up',
    async () => {
      gate.sim.setProjectCi(gate.project, null);
      gate.sim.protectBranch({ project: gate.project, pattern: 'release/*', push: 40, merge: 40 });
      gate.sim.addMember(gate.project, AUTHOR, 40);
      const iid = await gate.stage.open('release/1', CLEAN);
      await gate.until(() => says(iid, '**No problems found**') && says(iid, 'The commit status could not be set'));
      await gate.stage.calm();
      expect(mrAt(iid).headPipeline).toBeNull();
      expect(gate.sim.requests.filter(({ status, path }) => status === 403 && path.includes('/statuses/'))).toEqual([]);
    },
    TEST_MS,
  );
});

describe('with two merge requests of one branch', () => {
  test(
    'GL4: the shared pipeline passes only when both have passed',
    async () => {
      gate.sim.setProjectCi(gate.project, ci('branch'));
      const { sim, project } = gate;
      await sim.commitFiles({ project, branch: 'stable', files: {}, message: 'Begin\n', author: OWNER });
      const first = await open('shared', CLEAN);
      const second = await sim.openMergeRequest({
        project,
        sourceBranch: 'shared',
        targetBranch: 'stable',
        title: 'Draft: Change shared',
        author: AUTHOR,
      });
      gate.watch(second.iid);
      const pipeline = await makePipelines(first);
      await gate.until(() => isHeld(pipeline));
      await runTo(pipeline, 'success');
      await gate.until(() => says(first, 'determined the status of this commit'));
      await gate.stage.calm();
      expect([isHeld(pipeline), mrAt(first).state]).toEqual([true, 'opened']);
      await sim.editMergeRequest({ project, iid: second.iid, as: AUTHOR, title: 'Change shared' });
      await gate.until(() => mrAt(first).state === 'merged');
    },
    TEST_MS,
  );
});
