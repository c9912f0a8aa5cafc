/** Findings that a project does not want reported: the `[[ignore]]` entries of its target branch. */
import { z } from 'zod';
import type { Severity } from './finding.ts';

/** Which findings the operator allows projects to ignore. `non_blocking`: findings that would not block merging. */
export const ProjectIgnores = z.enum(['off', 'non_blocking', 'all']);
export type ProjectIgnores = z.output<typeof ProjectIgnores>;

export const DEFAULT_PROJECT_IGNORES: ProjectIgnores = 'non_blocking';

export const MAX_IGNORE_REASON = 500;

/** Either `rule` or `fingerprint` is set, never both. */
export const IgnoredClaim = z.object({
  /** Hash of what the entry names. It stays the same if the reason, link or expiry of the entry changes. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  rule: z.string().nullable(),
  fingerprint: z.string().nullable(),
  /** A pattern of `shared/diff/paths/glob-match.ts`. */
  path: z.string(),
});
export type IgnoredClaim = z.output<typeof IgnoredClaim>;

/** The `[[ignore]]` entries that have an effect. */
export const Ignores = z.object({ which: ProjectIgnores, entries: z.array(IgnoredClaim).max(50) });
export type Ignores = z.output<typeof Ignores>;

/** The id of a built-in rule, or of a rule of an analyzer: `name/rule`, as findings show it. */
export const IGNORABLE_RULE = /^[a-z0-9](?:[a-z0-9-]{0,63}|[a-z0-9-]{0,31}\/[A-Za-z0-9@._/:+-]{1,160})$/;

/** The built-in rules for secrets; a rule of an analyzer has a slash. */
export const isSecretRule = (rule: string | null): boolean => rule !== null && /^secret-[^/]*$/.test(rule);

export type Ignorable = {
  readonly severity: Severity;
  readonly rule: string | null;
  /** Whether the finding would prevent a pass. */
  readonly blocks: boolean;
};

export type WhyHeard = 'secret' | 'critical' | 'off' | 'blocks';

/** Returns why no entry may silence the finding; null if an entry may. */
export const whyAlwaysHeard = ({ severity, rule, blocks }: Ignorable, which: ProjectIgnores): WhyHeard | null => {
  if (isSecretRule(rule)) return 'secret';
  if (severity === 'P0') return 'critical';
  if (which === 'off') return 'off';
  return blocks && which !== 'all' ? 'blocks' : null;
};
