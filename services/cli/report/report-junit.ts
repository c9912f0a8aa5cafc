/** JUnit XML as GitLab and Forgejo's runners read it: https://docs.gitlab.com/ci/testing/unit_test_reports/ */
import { severityWord } from '../../../shared/vocabulary/severity-words.ts';
import type { ReviewedFinding, ReviewOutput } from '../review/review-output.ts';
import { printedMessage, ruleOf, titleIn } from './report-parts.ts';

/** Characters that XML 1.0 cannot represent (2.2). Hidden characters have already been made visible. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
  '\t': '&#9;',
  '\r': '&#13;',
};

const xml = (text: string): string =>
  text.replaceAll(NOT_XML, '\u{fffd}').replaceAll(/[&<>"'\n\t\r]/g, (character) => ENTITIES[character] ?? '');

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value))}"`)
    .join('');

/** A blocking finding is a failure. Any other finding is a test that passes with a remark. The verdict is a separate test. */
export const junitOf = (output: ReviewOutput): string => {
  const { findings, verdict } = output;
  const failures = findings.filter(({ blocking }) => blocking).length;
  const counts = { tests: findings.length + 1, failures, errors: verdict === 'inconclusive' ? 1 : 0 };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'fixpoint', ...counts })}>`,
    `  <testsuite${attributes({ name: 'fixpoint review', ...counts, skipped: 0 })}>`,
    ...verdictCase(output),
    ...findings.flatMap(findingCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
};

const verdictCase = ({ verdict, summary }: ReviewOutput): readonly string[] => {
  const opening = `    <testcase${attributes({ name: 'the review is complete', classname: 'fixpoint' })}`;
  if (verdict !== 'inconclusive') return [`${opening}/>`];
  const error = attributes({ message: 'the review has no verdict', type: 'inconclusive' });
  return [`${opening}>`, `      <error${error}>${xml(summary)}</error>`, '    </testcase>'];
};

const findingCase = (finding: ReviewedFinding): readonly string[] => {
  const { id, path, line, severity, blocking } = finding;
  const named = { name: `${id} ${titleIn(finding)}`, classname: ruleOf(finding), file: path, line };
  const message = `${severityWord(severity)}: ${titleIn(finding)}`;
  const text = xml(`${path}:${line}\n${printedMessage(finding)}`);
  const inner = blocking
    ? `<failure${attributes({ message, type: severity })}>${text}</failure>`
    : `<system-out>${text}</system-out>`;
  return [`    <testcase${attributes(named)}>`, `      ${inner}`, '    </testcase>'];
};
