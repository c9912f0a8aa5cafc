/** The operator's settings that decisions rest on. */
import type { CiRules } from './ci.ts';
import type { ForgeVerdictPolicy } from '../../vocabulary/forge-verdict.ts';
import type { Trigger } from '../../vocabulary/trigger.ts';

/** For whom the author works. Empty lists let everything pass; each filled one must fit. */
export type AuthorPolicy = {
  readonly enabled: boolean;
  /** Patterns as in the settings; compared where the facts are read. */
  readonly projects: readonly string[];
  readonly labels: readonly string[];
  readonly authors: readonly string[];
  /** How long a fix may take from the added job to its report, waiting in the queue included. */
  readonly timeoutMs: number;
};

/** The operator's settings that decisions rest on. Durations in milliseconds; empty filter lists let everything pass. */
export type Policy = {
  readonly triggers: readonly Trigger[];
  readonly reviewDrafts: boolean;
  readonly quietMs: number;
  /** Whether the forge itself learns of the verdict, as an approval or a request for changes. */
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
    readonly maxRuns: number;
    readonly attempts: number;
    readonly threadCount: number;
    readonly duplicateThreshold: number;
  };
  /** Whether the same change on a newer target branch is reviewed again. */
  readonly reviewOnBaseChange: boolean;
  /** What the CI of a head has to do with a pass. */
  readonly gate: CiRules & {
    readonly waitForCi: boolean;
    /** From the ready round on. */
    readonly ciDeadlineMs: number;
    /** From when the head was first seen: how long CI may take to begin. */
    readonly ciGraceMs: number;
  };
  /** How long a run may take from the added job to its report, waiting in the queue included. */
  readonly runTimeoutMs: number;
  readonly author: AuthorPolicy;
  /** How long a job waits for something that is away: by so much the deadline of its phase moves, once. Absent: 0. */
  readonly outagePatienceMs?: number;
  /** How long the poster may take for one plan, waiting in the queue included. */
  readonly postTimeoutMs: number;
};

/** More orders than this on one change request are nobody's review. */
export const MAX_GRANTS = 50;

export const withGrants = <Given extends Pick<Policy, 'rounds'>>(policy: Given, granted: number): Given => {
  const { rounds } = policy;
  return granted === 0
    ? policy
    : {
        ...policy,
        rounds: { ...rounds, max: rounds.max + granted, maxRuns: rounds.maxRuns + granted * rounds.attempts },
      };
};
