/** Turns results of a report into hits of rules. */
import type { Analyzer } from '../config/analyzer-settings.ts';
import type { AnalysisHit } from '../rules/model/analysis.ts';
import { cutPoint } from '../text/cut.ts';
import { collapseBlanks } from '../text/collapse-blanks.ts';
import { analyzerRule } from '../vocabulary/analyzer.ts';
import type { AnalyzerResult } from './report/report.ts';

const MAX_TITLE = 150;
const MAX_MESSAGE = 1_000;
const MAX_HELP = 800;

/** Without results whose level the operator has switched off. */
export const hitsOf = (
  results: readonly AnalyzerResult[],
  { name, severity }: Pick<Analyzer, 'name' | 'severity'>,
): readonly AnalysisHit[] =>
  results.flatMap(({ path, startLine, endLine, rule, level, suppressed, cwes, ...words }) => {
    const grade = severity[level];
    const id = analyzerRule(name, rule);
    return grade === 'off'
      ? []
      : {
          rule: id,
          severity: grade,
          path,
          startLine,
          endLine,
          suppressed,
          ...wordsOf({ ...words, id }),
          ...(cwes === undefined ? {} : { cwes: [...cwes] }),
        };
  });

type Words = Pick<AnalyzerResult, 'message' | 'help'> & { readonly id: string };

/** The title is the first line of the message. The rule's description follows unless the message contains it. */
const wordsOf = ({ message, help, id }: Words): Pick<AnalysisHit, 'title' | 'body'> => {
  const said = message.slice(0, MAX_MESSAGE);
  const [first = ''] = (said === '' ? help : said).split('\n', 1);
  const title = shortened(collapseBlanks(first), MAX_TITLE) || `Reported by ${id}`;
  const parts = [said === title ? '' : said, said.includes(help) ? '' : shortened(help, MAX_HELP)];
  return { title, body: parts.filter((part) => part !== '').join('\n\n') || `The rule \`${id}\` reports this line.` };
};

const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, cutPoint(text, length))} …`;
