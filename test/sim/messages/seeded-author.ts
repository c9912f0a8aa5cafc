/** A scripted author: reads the files of the findings, rewrites their lines, lists the findings, and ends. */
import type { Exchange } from './exchange.ts';
import { type Reply, reply, toolUse } from './reply.ts';
import type { Script, ScriptMatch } from './script.ts';

export type TaskFinding = { readonly id: string; readonly path: string; readonly line: number };

export type SeededAuthorOptions = {
  /** Returns the replacement of the line that a finding is about. */
  readonly rewrite: (line: string, finding: TaskFinding) => string;
  /** Maximum number of findings to fix, from the first. Default: all. */
  readonly atMost?: number;
};

/** Only an author has the tool Edit. */
export const AS_AUTHOR: ScriptMatch = { hasTool: 'Edit' };

const FINDING =
  /^(?<id>F-\d{3,}) P[0-3]: .*\nat (?<path>.+), lines \d+ to (?<line>\d+) of the new side(?:, rule .*)?$/gm;

const findingsIn = ({ firstUserText }: Exchange): readonly TaskFinding[] =>
  [...firstUserText.matchAll(FINDING)].map(({ groups }) => ({
    id: groups?.['id'] ?? '',
    path: groups?.['path'] ?? '',
    line: Number(groups?.['line']),
  }));

const lineIn = (read: string, line: number): string | null =>
  new RegExp(`^${line}\\t(?<text>.*)$`, 'm').exec(read)?.groups?.['text'] ?? null;

/** Deterministic by prompt and turn. */
export const seededAuthor =
  ({ rewrite, atMost = Number.POSITIVE_INFINITY }: SeededAuthorOptions): Script =>
  (exchange) => {
    const findings = findingsIn(exchange).slice(0, atMost);
    const paths = [...new Set(findings.map(({ path }) => path))];
    if (exchange.turn === 0) return reply(paths.map((path) => toolUse('Read', { path })));
    return exchange.turn === 1 ? edits(exchange, findings, { paths, rewrite }) : reply('Each finding is mended.');
  };

const isRead = (heard: string): boolean => /^1\t/m.test(heard);

const edits = (
  { heard }: Exchange,
  findings: readonly TaskFinding[],
  { paths, rewrite }: { readonly paths: readonly string[]; readonly rewrite: SeededAuthorOptions['rewrite'] },
): Reply => {
  const reads = heard.filter(isRead).slice(-paths.length);
  const mended = findings.map((finding) => {
    const old = lineIn(reads[paths.indexOf(finding.path)] ?? '', finding.line);
    if (old === null) throw new Error(`no line ${finding.line} was read of ${finding.path}`);
    return toolUse('Edit', { path: finding.path, old_text: old, new_text: rewrite(old, finding) });
  });
  return reply([...mended, toolUse('Addressed', { finding_ids: findings.map(({ id }) => id) })]);
};
