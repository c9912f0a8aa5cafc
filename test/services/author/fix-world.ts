/** A change request in a real repository, the forge's answers about it, and an author whose work is a function. */
import path from 'node:path';
import type { FixAgent, FixWork } from '../../../services/author/change/agent.ts';
import type { AuthorFile } from '../../../services/author/change/decide-change.ts';
import type { StoredWork } from '../../../services/author/kept-work.ts';
import type { AuthorDeps, AuthorForge } from '../../../services/author/deps.ts';
import { type FixEnding, fixOnce } from '../../../services/author/fix.ts';
import type { BranchFacts, ChangeRequestFacts, Permission } from '../../../shared/forge/port-facts.ts';
import type { FixBrief, FixReport } from '../../../shared/rounds/model/fix-brief.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { MirrorAccess } from '../../../shared/workspace/mirror/open-head.ts';
import type { Validation } from '../../../shared/validation/connect.ts';
import { changeRequest, print, runId, sha } from '../../shared/rounds/builders.ts';
import { createRepository, GIT, never, type Repository, temporaryFolder } from '../../shared/workspace/repository.ts';

export const BRANCH = 'feature';

export type Says = {
  /** Default: true. */
  readonly ordered?: boolean;
  /** Default: true. */
  readonly mayWork?: boolean;
  readonly facts?: Partial<ChangeRequestFacts>;
  readonly branch?: Omit<BranchFacts, 'head'> | null;
  readonly permission?: Permission;
};

export type FixWorld = {
  readonly repository: Repository;
  readonly base: CommitSha;
  readonly head: CommitSha;
  readonly reports: Map<string, FixReport>;
  readonly folder: string;
  /** What the forge says from now on. */
  readonly say: (says: Says) => void;
  /** The operator's commands from now on; before, there are none. */
  readonly check: (validation: Partial<Validation>) => void;
  readonly checks: () => Validation;
  /** Other mirrors from now on. */
  readonly reach: (access: Partial<MirrorAccess>) => void;
  /** What was logged as a warning. */
  readonly warnings: readonly unknown[];
  /** Runs just before the push. */
  readonly meanwhile: (task: () => void) => void;
  readonly brief: (patch?: Partial<FixBrief>) => FixBrief;
  readonly fix: (
    work: Partial<FixWork> | FixAgent,
    brief?: FixBrief,
    rules?: Partial<AuthorDeps['rules']>,
  ) => Promise<FixEnding>;
  readonly tip: () => string;
  readonly dispose: () => void;
};

export const write = (file: string, content: string): AuthorFile => ({
  kind: 'write',
  path: file,
  content: Buffer.from(content),
});

const branchOf = ({ branch }: Says): BranchFacts | null =>
  branch === null ? null : { isProtected: false, isDefault: false, ...branch, head: sha('tip') };

const asAgent = (work: Partial<FixWork>): FixAgent => ({
  name: 'told',
  work: async () => ({
    kind: 'done',
    work: { changes: [], addressed: null, declines: [], summary: '', spent: NOTHING_SPENT, ...work },
  }),
});

const commitAll = (repository: Repository): { readonly base: CommitSha; readonly head: CommitSha } => {
  repository.write({ 'README.md': '# Shop\n', 'lib/kept.js': 'kept();\n', '.gitlab-ci.yml': 'stages: []\n' });
  const base = repository.commit('base');
  repository.git('checkout', '--quiet', '-b', BRANCH);
  repository.write({ 'src/run.js': 'eval(text);\n', 'src/other.js': 'other();\n', 'package-lock.json': '{}\n' });
  repository.write({ '.gitlab-ci.yml': 'stages: [test]\n', 'docs/secret-plan.md': 'plan\n' });
  repository.executable('bin/run', '#!/bin/sh\n');
  repository.link('src/link.js', '../lib/kept.js');
  const head = repository.commit('change');
  repository.git('update-ref', 'refs/pull/5/head', head);
  repository.git('checkout', '--quiet', 'main');
  return { base, head };
};

export const makeFixWorld = (): FixWorld => {
  const folder = temporaryFolder();
  const repository = createRepository(path.join(folder.path, 'served'));
  const { base, head } = commitAll(repository);
  const reports = new Map<string, FixReport>();
  const works = new Map<string, StoredWork>();
  const warnings: unknown[] = [];
  let says: Says = {};
  let validation: Validation = { validate: async () => [], canValidate: () => false, validationS: 0 };
  let task: () => void = () => {};
  let reached: Partial<MirrorAccess> = {};
  const tip = (): string => repository.git('rev-parse', `refs/heads/${BRANCH}`);
  const forge: AuthorForge = {
    read: {
      fetchChangeRequest: async () =>
        changeRequest({ head: repository.git('rev-parse', 'refs/pull/5/head') as CommitSha, ...says.facts }), // full id
      fetchBranch: async () => branchOf(says),
      fetchPermission: async () => says.permission ?? 'none',
    },
    otherBots: { ignored: new Set(), allowed: new Set(), marks: null },
    access: {
      dataFolder: path.join(folder.path, 'data'),
      gitPath: GIT,
      credential: null,
      allowProtocols: ['file'],
      caFile: null,
      proxy: null,
      renameLikeness: 50,
    },
  };
  const depsWith = (agent: FixAgent, rules: Partial<AuthorDeps['rules']>): AuthorDeps => ({
    forges: new Map([['main', forge]]),
    mayWork: says.mayWork ?? true,
    agent,
    rules: {
      protectedPaths: [],
      lockFiles: false,
      newFiles: true,
      maxFiles: 20,
      maxBytes: 10_000,
      secrets: [],
      ...rules,
    },
    validation,
    commit: { name: 'Fixpoint', email: 'fixpoint@localhost' },
    checkoutFolder: path.join(folder.path, 'checkouts'),
    scratchFolder: path.join(folder.path, 'scratch'),
    loadBrief: async () => null,
    loadReport: async (id) => reports.get(id) ?? null,
    saveReport: async (report) => void reports.set(report.runId, report),
    loadWork: async (id) => works.get(id) ?? null,
    saveWork: async (work) => void works.set(work.runId, work),
    isOrdered: async () => says.ordered ?? true,
    deliver: async () => {},
    nowMs: () => 0,
    checkpoint: (step) => {
      if (step === 'before-push') task();
    },
  });
  const brief = (patch: Partial<FixBrief> = {}): FixBrief => ({
    v: 1,
    changeRequest: { forge: 'main', projectId: 1, number: 5 },
    runId: runId('fix'),
    head,
    base,
    review: 1,
    sourceBranch: BRANCH,
    targetBranch: 'main',
    targetHead: sha('target'),
    git: { url: `file://${repository.gitDir}`, headRef: 'refs/pull/5/head', branch: null },
    findings: [
      {
        id: 'F-001',
        fingerprint: print('one'),
        severity: 'P1',
        title: 'Closes #1 [skip ci]',
        text: '@everyone /merge',
        rule: null,
        place: { path: 'src/run.js', side: 'new', startLine: 1, line: 1 },
      },
    ],
    reviewedHeads: [head],
    seenTrees: [],
    requester: null,
    orderedAtMs: 1_700_000_000_000,
    ...patch,
  });
  return {
    repository,
    base,
    head,
    reports,
    folder: folder.path,
    say: (next) => {
      says = next;
    },
    check: (next) => {
      validation = { ...validation, ...next };
    },
    checks: () => validation,
    reach: (access) => {
      reached = access;
    },
    warnings,
    meanwhile: (next) => {
      task = next;
    },
    brief,
    fix: async (work, of = brief(), rules = {}) =>
      fixOnce({
        deps: depsWith('name' in work ? work : asAgent(work), rules),
        forge: { ...forge, access: { ...forge.access, ...reached } },
        brief: of,
        limits: { maxTurns: 4, maxRuntimeMs: 20_000 },
        log: { warn: (fields: unknown) => void warnings.push(fields) },
        signal: never(),
      }),
    tip,
    dispose: () => folder.dispose(),
  };
};
