/** A repository that is fetched like a forge's, and the brief of a run on it: for service tests without a forge. */
import path from 'node:path';
import { pino } from 'pino';
import type { JobContext } from '../../shared/queue/worker.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import type { ChangeRequest, CommitSha, RunId } from '../../shared/vocabulary/ids.ts';
import type { MirrorAccess } from '../../shared/workspace/mirror/open-head.ts';
import { createRepository, GIT, type Repository, temporaryFolder } from '../shared/workspace/repository.ts';

export const OF: ChangeRequest = { forge: 'main', projectId: 1, number: 2 };
const HEAD_REF = 'refs/pull/2/head';

export type FileForge = {
  readonly repository: Repository;
  readonly mirrors: ReadonlyMap<string, MirrorAccess>;
  readonly checkouts: string;
  readonly base: CommitSha;
  readonly head: CommitSha;
  readonly briefOf: (runId: RunId, patch?: Partial<Brief>) => Brief;
  readonly dispose: () => void;
};

type Files = Readonly<Record<string, string>>;

export const createFileForge = (base: Files, change: Files): FileForge => {
  const folder = temporaryFolder();
  const repository = createRepository(path.join(folder.path, 'forge'));
  repository.write(base);
  const from = repository.commit('base');
  repository.git('checkout', '--quiet', '-b', 'change');
  repository.write(change);
  const head = repository.commit('change');
  repository.git('update-ref', HEAD_REF, head);
  const access: MirrorAccess = {
    dataFolder: path.join(folder.path, 'data'),
    gitPath: GIT,
    credential: null,
    allowProtocols: ['file'],
    caFile: null,
    proxy: 'none',
    renameLikeness: 50,
  };
  return {
    repository,
    mirrors: new Map([[OF.forge, access]]),
    checkouts: path.join(folder.path, 'checkouts'),
    base: from,
    head,
    briefOf: (runId, patch = {}) =>
      Brief.parse({
        v: 1,
        changeRequest: OF,
        runId,
        head,
        targetHead: from,
        targetBranch: 'main',
        title: 'A change',
        description: '',
        author: 'ada',
        git: { url: `file://${repository.workTree}`, headRef: HEAD_REF },
        review: 1,
        attempt: 1,
        stage: 'open',
        openThreads: [],
        closedThreads: [],
        previous: null,
        ...patch,
      }),
    dispose: () => folder.dispose(),
  };
};

/** The context of a handler call, with a fake job. */
export const jobContext = (signal: AbortSignal): JobContext => ({
  signal,
  log: pino({ enabled: false }),
  // The tested handlers only read the job's id.
  job: { id: 'job' } as JobContext['job'],
  attempt: 1,
});
