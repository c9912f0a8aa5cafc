import type { Evidence, GrepLanguage, RuleFacts } from '../../../shared/rules/model/rule.ts';

type Row = RuleFacts & {
  readonly languages?: readonly GrepLanguage[];
  readonly language?: string;
  readonly fix?: string;
  readonly where?: string;
  readonly graveIf?: Evidence;
};

const SHOWN: Readonly<Record<Evidence, string>> = {
  outside: 'data from outside',
  'outside or parameter': 'data from outside or a parameter',
  'outside or text': 'data from outside or a parameter between quotes',
};

const languagesOf = ({ languages, language }: Row): string =>
  languages === undefined ? (language ?? 'any text') : languages.join(', ');

const rowOf = (rule: Row): string => {
  const severity = rule.severity === 'P2' && rule.blocking ? 'P2, blocks' : rule.severity;
  const notes = [
    rule.where === 'production' ? 'silent in tests' : '',
    rule.fix === undefined ? '' : 'suggests a rewrite',
    rule.graveIf === undefined ? '' : `P2 without ${SHOWN[rule.graveIf]}`,
  ];
  return `| \`${rule.id}\` | ${languagesOf(rule)} | ${severity} | ${rule.title} | ${notes.filter((note) => note !== '').join('; ')} |`;
};

/** The table of `shared/rules/README.md`, made from the rules themselves. */
export const ruleTable = (rules: readonly Row[]): string =>
  ['| rule | language | severity | finds | notes |', '| --- | --- | --- | --- | --- |', ...rules.map(rowOf)].join('\n');
