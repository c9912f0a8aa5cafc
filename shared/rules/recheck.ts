import type { ChangedSince } from '../diff/position/changed-since.ts';
import type { ReplacedBy } from '../diff/replaced-lines.ts';
import type { HitReport } from './find-hits.ts';
import { splitLines } from './model/lines.ts';
import type { RuleHit } from './model/rule.ts';
import { STRUCTURAL_RULES } from './structural/catalogue.ts';
import { SECRET_RULES } from './secrets/secret-patterns.ts';
import { TEXT_RULES } from './text-rules.ts';
import { collapseBlanks } from '../text/collapse-blanks.ts';

/**
 * - `still_there`: the claim still applies, now at `line`. `by`: the other rule that reports it, if its own no longer does.
 * - `fixed`: the place exists, but the claim no longer applies.
 * - `gone`: the place no longer exists.
 */
export type Recheck =
  | { readonly kind: 'still_there'; readonly line: number; readonly by?: string }
  | { readonly kind: 'fixed' }
  | { readonly kind: 'gone' };

export type RuleClaim = {
  readonly rule: string | null;
  /** Rules of other tools that reported the same. The claim applies as long as one of them reports it. */
  readonly alsoRules?: readonly string[];
  readonly path: string;
  /** The line in the new text; null if the line was removed or rewritten. */
  readonly movedLine: number | null;
  readonly line: number;
  /** The new lines that replaced it; absent or null if there are none. */
  readonly replacedBy?: ReplacedBy | null;
  /** Which lines of the new text changed since the claim; absent if this is unknown, then any may have. */
  readonly isChanged?: ChangedSince | undefined;
  /** The redacted code that the claim was about; empty if it is no longer available. */
  readonly citedText: string;
};

/**
 * A match that is further away is other code; if it is new, it becomes a finding of its own. So is a match on other lines
 * that were the same before.
 */
const NEAR_LINES = 15;
const MIN_SIMILARITY = 0.5;

const RULE_IDS: ReadonlySet<string> = new Set(
  [...STRUCTURAL_RULES, ...TEXT_RULES, ...SECRET_RULES].map(({ id }) => id),
);

/** False for a rule of another release, for which a missing hit proves nothing. */
export const isKnownRule = (id: string): boolean => RULE_IDS.has(id);

/** Structural rules need the syntax tree; all other rules work on the text. */
export const needsParse = (id: string): boolean => STRUCTURAL_RULES.some((rule) => rule.id === id);
const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g) ?? []);

/** Returns the Jaccard index over words. Equal claims give 1, even if they contain no words. */
const similarity = (a: string, b: string): number => {
  if (collapseBlanks(a) === collapseBlanks(b)) return 1;
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared === 0 ? 0 : shared / (left.size + right.size - shared);
};

const MAX_COMPARED_LINES = 40;

/** A thread may cite the whole match or only its changed line, so both are compared. */
const likeness = (claim: RuleClaim, hit: RuleHit, lines: readonly string[]): number => {
  const own = lines.slice(hit.startLine - 1, Math.min(hit.endLine, hit.startLine + MAX_COMPARED_LINES - 1));
  return Math.max(...[hit.evidence, ...own].map((text) => similarity(text, claim.citedText)));
};

const distance = (hit: RuleHit, line: number): number =>
  line < hit.startLine ? hit.startLine - line : Math.max(0, line - hit.endLine);

/** A rewritten line that still has the same mistake is not fixed. */
const hitInItsPlace = ({ rule, path, replacedBy = null }: RuleClaim, hits: readonly RuleHit[]): RuleHit | null =>
  replacedBy === null
    ? null
    : (hits
        .filter((hit) => hit.rule.id === rule && hit.path === path)
        .find(({ startLine, endLine }) => startLine <= replacedBy.line && endLine >= replacedBy.startLine) ?? null);

const isNew = ({ isChanged }: RuleClaim, { path, startLine, endLine: line }: RuleHit): boolean =>
  isChanged?.(path, { startLine, line }) ?? true;

const ownHit = (claim: RuleClaim, hits: readonly RuleHit[], lines: readonly string[]): RuleHit | null => {
  const around = claim.movedLine ?? claim.line;
  // If there is no cited text, the nearest hit is used, so that no claim is treated as fixed by mistake.
  const unknown = collapseBlanks(claim.citedText) === '';
  const near = hits
    .filter((hit) => hit.rule.id === claim.rule && hit.path === claim.path)
    .map((hit) => ({ hit, far: distance(hit, around), like: unknown ? 1 : likeness(claim, hit, lines) }))
    .filter(({ hit, far, like }) => {
      if (unknown || (far === 0 && claim.movedLine !== null)) return true;
      return far <= NEAR_LINES && like >= MIN_SIMILARITY && isNew(claim, hit);
    });
  return near.toSorted((a, b) => b.like - a.like || a.far - b.far)[0]?.hit ?? null;
};

const isGone = (claim: RuleClaim): Recheck => (claim.movedLine === null ? { kind: 'gone' } : { kind: 'fixed' });

const findCited = (claim: RuleClaim, lines: readonly string[]): number | null => {
  const cited = splitLines(claim.citedText).map(collapseBlanks);
  while (cited[0] === '') cited.shift();
  while (cited.at(-1) === '') cited.pop();
  if (cited.length === 0) return null;
  const around = claim.movedLine ?? claim.line;
  const normalised = lines.map(collapseBlanks);
  const starts = normalised.flatMap((_, index) =>
    cited.every((line, offset) => (normalised[index + offset] ?? '').includes(line)) ? [index + 1] : [],
  );
  const isOther = (startLine: number): boolean =>
    claim.movedLine === null &&
    claim.isChanged?.(claim.path, { startLine, line: startLine + cited.length - 1 }) === false;
  const own = starts.filter((start) => !isOther(start));
  return own.toSorted((a, b) => Math.abs(a - around) - Math.abs(b - around))[0] ?? null;
};

/** A claim that no rule can check still applies if its cited code exists or if no cited code is known. */
const judgeByText = (claim: RuleClaim, lines: readonly string[]): Recheck => {
  if (collapseBlanks(claim.citedText) === '') return { kind: 'still_there', line: claim.movedLine ?? claim.line };
  const line = findCited(claim, lines);
  return line === null ? isGone(claim) : { kind: 'still_there', line };
};

type Judged = { readonly rechecks: readonly Recheck[]; readonly known: ReadonlySet<RuleHit> };

/**
 * Assigns at most one hit to each claim. Claims with a hit on their own line are handled first, rewritten lines last.
 * `taken`: the hits that belong to other claims.
 */
const chooseHits = (
  claims: readonly RuleClaim[],
  report: HitReport,
  taken: Set<RuleHit>,
): ReadonlyMap<RuleClaim, RuleHit> => {
  const own = new Map<RuleClaim, RuleHit>();
  const chooseBy = (find: (claim: RuleClaim, free: readonly RuleHit[]) => RuleHit | null): void => {
    for (const claim of claims.filter((each) => !own.has(each))) {
      const free = report.hits.filter((candidate) => !taken.has(candidate));
      const hit = find(claim, free);
      if (hit === null) continue;
      own.set(claim, hit);
      taken.add(hit);
    }
  };
  const linesOf = ({ path }: RuleClaim): readonly string[] => report.lines.get(path) ?? [];
  chooseBy((claim, free) => {
    const { movedLine } = claim;
    return movedLine === null
      ? null
      : ownHit(
          claim,
          free.filter((hit) => distance(hit, movedLine) === 0),
          linesOf(claim),
        );
  });
  chooseBy((claim, free) => ownHit(claim, free, linesOf(claim)));
  chooseBy(hitInItsPlace);
  return own;
};

/** Each claim once for each other rule that reported it. */
const claimsOfOthers = (claims: readonly RuleClaim[]): readonly Other[] =>
  claims.flatMap((of) => (of.alsoRules ?? []).map((rule) => ({ of, claim: { ...of, rule, alsoRules: [] } })));

type Other = { readonly of: RuleClaim; readonly claim: RuleClaim };

/** Judges the claims in their order. `known`: the hits that belong to a claim. */
export const judgeClaims = (claims: readonly RuleClaim[], report: HitReport): Judged => {
  const taken = new Set<RuleHit>();
  const own = chooseHits(claims, report, taken);
  const others = claimsOfOthers(claims);
  const theirs = chooseHits(
    others.map(({ claim }) => claim),
    report,
    taken,
  );
  const stillBy = (of: RuleClaim): RuleHit | undefined =>
    others
      .filter((other) => other.of === of)
      .map(({ claim }) => theirs.get(claim))
      .find((hit) => hit !== undefined);
  const unreadable = new Set(report.omitted.map(({ path }) => path));
  const rechecks = claims.map((claim): Recheck => {
    const lines = report.lines.get(claim.path);
    if (lines === undefined) return { kind: 'gone' };
    const hit = own.get(claim);
    if (hit !== undefined) return { kind: 'still_there', line: hit.startLine };
    const other = stillBy(claim);
    if (other !== undefined) return { kind: 'still_there', line: other.startLine, by: other.rule.id };
    const isOurs = claim.rule !== null && RULE_IDS.has(claim.rule) && !unreadable.has(claim.path);
    const repeatable = isOurs || report.covers?.(claim.rule, claim.path) === true;
    return repeatable ? isGone(claim) : judgeByText(claim, lines);
  });
  return { rechecks, known: new Set([...own.values(), ...theirs.values()]) };
};
