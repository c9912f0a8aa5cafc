import type { CiRules } from './ci.ts';
import type { ForgeVerdictPolicy } from '../../vocabulary/forge-verdict.ts';
import type { ProjectIgnores } from '../../vocabulary/ignores.ts';
import type { Trigger } from '../../vocabulary/trigger.ts';

/** Which change requests the author works on. Empty lists match everything; every filled list must match. */
export type AuthorPolicy = {
  readonly enabled: boolean;
  /** Patterns from the settings, matched when the facts are read. */
  readonly projects: readonly string[];
  readonly labels: readonly string[];
  readonly authors: readonly string[];
  /** From the added job to its report, including time in the queue. */
  readonly timeoutMs: number;
};

/** The operator's settings for decisions. Empty filter lists match everything. */
export type Policy = {
  readonly triggers: readonly Trigger[];
  readonly reviewDrafts: boolean;
  /** True: every skipped change request gets a pending status with the reason. Absent: false. */
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
    /** Runs that are neither silent reviews nor carried heads. */
    readonly maxRuns: number;
    /** Completed reviews that asked for nothing. */
    readonly maxSilent: number;
    /** Heads whose verdict is carried. Beyond it a head is reviewed. */
    readonly maxCarried: number;
    /** Limit on new non-blocking threads of one review. Blocking findings always get a thread. */
    readonly maxComments: number;
    readonly attempts: number;
    readonly threadCount: number;
    readonly duplicateThreshold: number;
  };
  /** True when an unchanged patch is reviewed again on a newer target branch. */
  readonly reviewOnBaseChange: boolean;
  readonly gate: CiRules & {
    readonly waitForCi: boolean;
    /** How long a finished review waits for CI. */
    readonly ciDeadlineMs: number;
    /** How long CI may take to begin after the head was first seen. */
    readonly ciGraceMs: number;
  };
  /** From the added job to its report, including time in the queue. */
  readonly runTimeoutMs: number;
  readonly author: AuthorPolicy;
  /** How long a job waits for something unavailable. The deadline of its phase is extended by this once. Absent means 0. */
  readonly outagePatienceMs?: number;
  readonly postTimeoutMs: number;
  /** What projects may ignore. Absent: the default. */
  readonly projectIgnores?: ProjectIgnores;
  /** Absent: costs are not shown on change requests. */
  readonly costs?: { readonly shown: boolean; readonly limitUsd: number };
};

export const MAX_GRANTS = 50;

export const withGrants = <Given extends Pick<Policy, 'rounds'>>(policy: Given, granted: number): Given => {
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
