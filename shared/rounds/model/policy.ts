import type { CiRules } from './ci.ts';
import type { ForgeVerdictPolicy } from '../../vocabulary/forge-verdict.ts';
import type { ProjectIgnores } from '../../vocabulary/ignores.ts';
import type { Trigger } from '../../vocabulary/trigger.ts';

/** The change requests that the author works on. An empty list matches everything; every list with entries must match. */
export type AuthorPolicy = {
  readonly enabled: boolean;
  /** Patterns from the settings; they are matched when the facts are read. */
  readonly projects: readonly string[];
  readonly labels: readonly string[];
  readonly authors: readonly string[];
  /** Time limit from adding the job to its report, including time in the queue. */
  readonly timeoutMs: number;
};

/** The operator's settings for decisions. An empty filter list matches everything. */
export type Policy = {
  readonly triggers: readonly Trigger[];
  readonly reviewDrafts: boolean;
  /** If true, every skipped change request gets a pending status with the reason. Absent means false. */
  readonly announceSkips?: boolean;
  readonly quietMs: number;
  /** Whether the verdict is also given on the forge as an approval or a request for changes. */
  readonly forgeVerdict: ForgeVerdictPolicy;
  readonly filters: {
    readonly labels: readonly string[];
    readonly ignoreLabels: readonly string[];
    readonly authors: readonly string[];
    readonly ignoreAuthors: readonly string[];
    readonly targetBranches: readonly string[];
  };
  readonly rounds: {
    readonly max: number;
    /** Maximum number of runs that are neither silent reviews nor carried heads. */
    readonly maxRuns: number;
    /** Maximum number of completed silent reviews. */
    readonly maxSilent: number;
    /** Maximum number of heads whose verdict is carried. Further heads are reviewed. */
    readonly maxCarried: number;
    /** Maximum number of new non-blocking threads in one review. Blocking findings always get a thread. */
    readonly maxComments: number;
    readonly attempts: number;
    readonly threadCount: number;
    readonly duplicateThreshold: number;
  };
  /** True if an unchanged patch is reviewed again when the target branch is newer. */
  readonly reviewOnBaseChange: boolean;
  readonly gate: CiRules & {
    readonly waitForCi: boolean;
    /** How long a finished review waits for CI. */
    readonly ciDeadlineMs: number;
    /** How long CI may take to begin after the head was first seen. */
    readonly ciGraceMs: number;
  };
  /** Time limit from adding the job to its report, including time in the queue. */
  readonly runTimeoutMs: number;
  readonly author: AuthorPolicy;
  /** How long a job waits for something unavailable. The deadline of its phase is extended once by this time. Absent means 0. */
  readonly outagePatienceMs?: number;
  readonly postTimeoutMs: number;
  /** Which findings projects may ignore. Absent means the default. */
  readonly projectIgnores?: ProjectIgnores;
  /** If absent, costs are not shown on change requests. */
  readonly costs?: { readonly shown: boolean; readonly limitUsd: number };
};

/** How long a review waits at most for the CI jobs whose reports it uses: until they begin, and until they end. */
export const reportWaitMs = ({ gate }: Pick<Policy, 'gate'>): number => gate.ciGraceMs + gate.ciDeadlineMs;

export const MAX_GRANTS = 50;

/** The limits that a granted round raises. */
export type GrantedRounds = { readonly rounds: Pick<Policy['rounds'], 'max' | 'maxRuns' | 'maxSilent' | 'attempts'> };

export const withGrants = <Given extends GrantedRounds>(policy: Given, granted: number): Given => {
  const { rounds } = policy;
  return granted === 0
    ? policy
    : {
        ...policy,
        rounds: {
          ...rounds,
          max: rounds.max + granted,
          maxRuns: rounds.maxRuns + granted * rounds.attempts,
          maxSilent: rounds.maxSilent + granted,
        },
      };
};
