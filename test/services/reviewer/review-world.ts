/** A real repository with a base and changes on top, read through the production code. */
import { join } from 'node:path';
import { type Looked, modelLook } from '../../../services/reviewer/packet/looked.ts';
import type { Packet, PacketLimits, PacketRequest, PacketSource } from '../../../services/reviewer/packet/packet.ts';
import type { BriefThread } from '../../../shared/rounds/model/brief.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { NO_EXPLORERS } from '../../../services/reviewer/run/explorers.ts';
import type { ReviewTask } from '../../../services/reviewer/run/prompt.ts';
import type { RunScope } from '../../../services/reviewer/run/runner.ts';
import { runId } from '../../shared/rounds/builders.ts';
import { createRevisions } from '../../../shared/workspace/git/revisions.ts';
import { createRepository, gitOf, never, type Repository, temporaryFolder } from '../../shared/workspace/repository.ts';

export const LIMITS: PacketLimits = {
  maxFiles: 100,
  maxDiffBytes: 1_000_000,
  maxFileBytes: 100_000,
  includePaths: [],
  excludePaths: [],
};

export type Files = Readonly<Record<string, string | Buffer | null>>;

export type ReviewWorld = {
  readonly repository: Repository;
  readonly commit: (files: Files, message?: string) => CommitSha;
  readonly source: (limits?: Partial<PacketLimits>) => PacketSource;
  readonly dispose: () => void;
};

export const createReviewWorld = (): ReviewWorld => {
  const folder = temporaryFolder();
  const repository = createRepository(join(folder.path, 'repository'));
  const revisions = createRevisions(gitOf(repository));
  return {
    repository,
    commit: (files, message = 'change') => {
      repository.write(files);
      return repository.commit(message);
    },
    source: (limits = {}) => ({ revisions, limits: { ...LIMITS, ...limits }, signal: never() }),
    dispose: () => {
      revisions.close();
      folder.dispose();
    },
  };
};

export const request = (targetHead: CommitSha, head: CommitSha, more: Partial<PacketRequest> = {}): PacketRequest => ({
  head,
  targetHead,
  openThreads: [],
  previous: null,
  ...more,
});

export const textOf = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

export const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `const line${index + 1} = ${index + 1};`);

export const thread = (path: string, line: number, head: CommitSha | null, id = 'F-001'): BriefThread => ({
  id,
  fingerprint: 'f'.repeat(32),
  severity: 'P1',
  blocking: true,
  title: 'A claim',
  rule: null,
  place: { path, side: 'new', startLine: line, line },
  head,
  count: 0,
  stance: 'seeks_change',
  legalActions: ['resolve', 'reply'],
  review: 1,
  replies: [],
});

export const TASK: ReviewTask = {
  title: 'A change',
  description: 'What it is for.',
  author: 'author',
  targetBranch: 'main',
  review: 1,
  stage: 'open',
  closedThreads: [],
  comments: [],
  replies: new Map(),
  instructions: null,
  earlierNotes: null,
};

/** Of a model that was shown everything, beside rules that ran over everything. */
export const lookedAt = ({ diff, changed }: Pick<Packet, 'diff' | 'changed'>): Looked => ({
  rules: {
    parsed: new Map(changed.map(({ path }) => [path, []])),
    scanned: new Set(diff.files.map(({ newPath }) => newPath)),
  },
  model: modelLook([]),
});

export const SCOPE: RunScope = {
  runId: runId('run'),
  changeRequest: { forge: 'main', projectId: 1, number: 2 },
  maxTurns: 8,
  maxRuntimeS: 600,
  explorers: NO_EXPLORERS,
  isSuperseded: async () => false,
};
