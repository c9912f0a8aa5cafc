import { describe, expect, it } from 'vitest';
import type { Artifact, CiJobs } from '../../../shared/forge/port-ci-reports.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { type Bench, signal } from './conformance-bench.ts';
import type { RunJob } from './conformance-world.ts';

const JOB = 'scan: all';
const PATH = 'reports/a b.sarif';

/** Files that CI jobs have uploaded. A forge without them says so by `null`, and nothing else holds for it. */
export const describeCiReports = (bench: Bench): void => {
  type Task = (read: {
    readonly jobs: (head: CommitSha) => Promise<CiJobs>;
    readonly artifact: (head: CommitSha, path: string, maxBytes?: number) => Promise<Artifact>;
    readonly run: (sha: CommitSha, job: Omit<RunJob, 'name'>) => Promise<void>;
  }) => Promise<void>;

  const whereServed = async (task: Task): Promise<void> => {
    const { forge, can, changeRequest, people } = bench.world;
    const { ciReports } = forge;
    expect(ciReports !== null).toBe(can.ciReports);
    if (ciReports === null) return;
    const jobs = async (head: CommitSha) => ciReports.fetchCiJobs({ changeRequest, head, names: [JOB] }, signal);
    await task({
      jobs,
      artifact: async (head, path, maxBytes = 1_000) => {
        const [job] = (await jobs(head)).jobs;
        if (job === undefined) throw new Error('no job');
        return ciReports.fetchArtifact({ job, path, maxBytes }, signal);
      },
      run: async (sha, job) => people.runJob(sha, { ...job, name: JOB }),
    });
  };

  describe('reports of CI jobs', () => {
    it('are those of exactly the head', async () => {
      await whereServed(async ({ jobs, run }) => {
        const { head, people } = bench.world;
        expect(await jobs(head)).toEqual({ jobs: [], hidden: false });
        await run(head, { state: 'success' });
        const next = await people.push();
        expect((await jobs(next)).jobs).toEqual([]);
        await run(next, { state: 'running' });
        expect((await jobs(head)).jobs).toMatchObject([{ name: JOB, state: 'passed', mergedWith: null }]);
        expect((await jobs(next)).jobs).toMatchObject([{ name: JOB, state: 'open' }]);
      });
    });

    it('are read as they are, also from a job that has failed, and are absent where nothing was uploaded', async () => {
      await whereServed(async ({ artifact, jobs, run }) => {
        const { head } = bench.world;
        await run(head, { state: 'failed', artifacts: { [PATH]: '\uFEFF{"ü"' } });
        expect((await jobs(head)).jobs).toMatchObject([{ state: 'failed' }]);
        expect(await artifact(head, PATH)).toEqual({ kind: 'text', text: '\uFEFF{"ü"' });
        expect(await artifact(head, 'reports/other.sarif')).toEqual({ kind: 'absent' });
        await run(head, { state: 'success' });
        expect(await artifact(head, PATH)).toEqual({ kind: 'absent' });
      });
    });

    it('are not read to the end if they are too large', async () => {
      await whereServed(async ({ artifact, run }) => {
        const { head } = bench.world;
        await run(head, { state: 'success', artifacts: { [PATH]: 'x'.repeat(2_000) } });
        expect(await artifact(head, PATH)).toEqual({ kind: 'too_large' });
        expect((await artifact(head, PATH, 2_000)).kind).toBe('text');
      });
    });

    it('are refused for a token that the forge does not know', async () => {
      const { stranger, can, changeRequest, head } = bench.world;
      if (!can.ciReports) return;
      const asked = { changeRequest, head, names: [JOB] };
      await expect(stranger.ciReports?.fetchCiJobs(asked, signal)).rejects.toMatchObject({ code: /^FORGE_/ });
    });
  });
};
