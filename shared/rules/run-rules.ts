import type { OmittedFile } from '../vocabulary/coverage.ts';
import { joinDoubled, type Reported } from './join-doubled.ts';
import type { HitReport } from './find-hits.ts';
import { quote } from './model/lines.ts';
import type { ChangedFile, RuleFinding, RuleHit, RulesReport } from './model/rule.ts';

/** Limit per review: the most severe findings are kept, and the files of all others are reported as omitted. */
const MAX_FINDINGS = 200;

/**
 * Returns the line for the comment: the line that inserts the value if the change added it, otherwise the first added
 * line of the match, otherwise the line before lines that were removed from it. Null if the change did not touch the match.
 */
const touchedLine = (hit: RuleHit, file: ChangedFile | undefined): number | null => {
  if (hit.insertedLine !== undefined && file?.changedLines.has(hit.insertedLine) === true) return hit.insertedLine;
  for (let line = hit.startLine; line <= hit.endLine; line += 1) if (file?.changedLines.has(line)) return line;
  for (let line = hit.startLine; line < hit.endLine; line += 1) if (file?.removedAfter?.has(line)) return line;
  return null;
};

const findingOf = (hit: RuleHit, line: number, lines: readonly string[]): RuleFinding => ({
  path: hit.path,
  side: 'new',
  startLine: line,
  line,
  severity: hit.rule.severity,
  relation: 'current_diff',
  title: hit.rule.title,
  body: hit.rule.explanation,
  evidence: quote(lines, line, hit.endLine),
  suggestion: hit.suggestion,
  blocking: hit.rule.blocking,
  rule: hit.rule.id,
});

const limit = (findings: readonly RuleFinding[]): RulesReport => {
  if (findings.length <= MAX_FINDINGS) return { findings, omitted: [] };
  const worst = new Set(
    findings
      .toSorted((a, b) => (a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0))
      .slice(0, MAX_FINDINGS),
  );
  const omitted = new Map<string, OmittedFile>();
  for (const finding of findings)
    if (!worst.has(finding))
      omitted.set(finding.path, {
        path: finding.path,
        reason: `more than ${MAX_FINDINGS} findings by rules`,
      });
  return { findings: findings.filter((finding) => worst.has(finding)), omitted: [...omitted.values()] };
};

/**
 * Returns findings for the hits that the change touched, sorted by path, line and rule; at most one per rule and line. What
 * several tools report about the same defect is one finding.
 */
export const findingsOf = (
  report: HitReport,
  files: readonly ChangedFile[],
  known: ReadonlySet<RuleHit>,
): RulesReport => {
  const changed = new Map(files.map((file) => [file.path, file]));
  const found = new Map<string, Reported>();
  for (const hit of report.hits) {
    const line = touchedLine(hit, changed.get(hit.path));
    const key = JSON.stringify([hit.path, line, hit.rule.id]);
    if (line === null || hit.suppressed === true || known.has(hit) || found.has(key)) continue;
    found.set(key, { finding: findingOf(hit, line, report.lines.get(hit.path) ?? []), hit });
  }
  const { findings, omitted } = limit(joinDoubled([...found.values()]).toSorted(byPlace));
  const paths = new Set(files.map(({ path }) => path));
  return { findings, omitted: [...report.omitted.filter(({ path }) => paths.has(path)), ...omitted] };
};

const byPlace = (a: RuleFinding, b: RuleFinding): number => {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  if (a.line !== b.line) return a.line - b.line;
  return a.rule < b.rule ? -1 : 1;
};
