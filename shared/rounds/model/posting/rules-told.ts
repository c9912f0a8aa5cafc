/** Findings of the built-in rules in a run without a model's review. They are posted as a table, without threads. */
import { z } from 'zod';
import { Severity } from '../../../vocabulary/finding.ts';
import { severityWord } from '../../../vocabulary/severity-words.ts';
import { tableCell } from '../../../text/table-cell.ts';

export const RuleFound = z.object({
  rule: z.string(),
  severity: Severity,
  path: z.string(),
  line: z.number().int().positive(),
  title: z.string(),
});
export type RuleFound = z.output<typeof RuleFound>;

type Claimed = Omit<RuleFound, 'rule'> & { readonly rule: string | null };

const isSecret = ({ rule }: RuleFound): boolean => rule.startsWith('secret-');

/** Orders secrets first, then by severity. Findings of equal severity keep their order. */
export const rulesFoundIn = (findings: readonly Claimed[]): readonly RuleFound[] =>
  findings
    .flatMap(({ rule, severity, path, line, title }) => (rule === null ? [] : [{ rule, severity, path, line, title }]))
    .toSorted(
      (one, other) => Number(isSecret(other)) - Number(isSecret(one)) || one.severity.localeCompare(other.severity),
    );

const MAX_ROWS = 50;
const MAX_TITLE = 200;

export const rulesFoundText = (found: readonly RuleFound[]): string => {
  if (found.length === 0) return '';
  const rows = found
    .slice(0, MAX_ROWS)
    .map(
      ({ severity, path, line, title }) =>
        `| ${severityWord(severity)} | ${tableCell(title.slice(0, MAX_TITLE))} | \`${tableCell(path)}:${line}\` |`,
    );
  const more = found.length - rows.length;
  return [
    '\n\nThe built-in rules, which need no model, looked at the change and found:\n',
    '| Severity | Finding | Where |',
    '| --- | --- | --- |',
    ...rows,
    ...(more > 0 ? [`\nand ${more} more.`] : []),
  ].join('\n');
};
