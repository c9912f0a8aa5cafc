/** Markdown for a job summary or a message. Mentions and links in the text of models and repositories are disabled. */
import { codeFence, inlineCode } from '../../../shared/text/code-fence.ts';
import { makeInert } from '../../../shared/text/inert.ts';
import { escapeForTerminal, escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { severityWord } from '../../../shared/vocabulary/severity-words.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { HEADINGS, type Printable, titleIn } from './report-parts.ts';

/** A forge address that matches no link, so that all links are disabled. */
const NOWHERE = { forgeBaseUrl: 'https://nowhere.invalid', mayMention: [] } as const;

const inert = (text: string): string => makeInert(text, NOWHERE);

/** Formats text as a quotation, so that a heading in it does not become a heading of the report. */
const quoted = (text: string): string =>
  inert(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

const VERDICTS: Readonly<Record<ReviewOutput['verdict'], string>> = {
  lgtm: 'Passed',
  feedback: 'Changes are needed',
  inconclusive: 'No verdict',
};

export const markdownOf = (output: ReviewOutput): string => {
  const { verdict, summary, findings, unverified, coverage } = output;
  const parts = [
    `## Fixpoint: ${VERDICTS[verdict]}`,
    quoted(summary),
    ...findings.flatMap((finding) =>
      findingIn(finding, `${finding.id}, ${finding.blocking ? 'blocks' : 'does not block'}`),
    ),
    ...(unverified.length === 0 ? [] : [`### ${HEADINGS.unverified}`]),
    ...unverified.flatMap((finding) => findingIn(finding, 'unverified')),
    ...refutedIn(output),
    ...omittedIn(coverage),
  ];
  return `${parts.join('\n\n')}\n`;
};

const findingIn = (finding: Printable, note: string): readonly string[] => {
  const { severity, path, startLine, line, side, body, suggestion } = finding;
  const lines = startLine === line ? `${line}` : `${startLine}-${line}`;
  const place = inlineCode(escapeForTerminalLine(`${path}:${lines}`));
  return [
    `### ${severityWord(severity)}: ${inlineCode(titleIn(finding))}`,
    `${place}${side === 'old' ? ' (old version)' : ''} (${note})`,
    quoted(body),
    ...(suggestion === null ? [] : ['Suggestion:', codeFence(escapeForTerminal(suggestion))]),
  ];
};

const refutedIn = ({ refuted = [] }: ReviewOutput): readonly string[] => {
  if (refuted.length === 0) return [];
  const code = (text: string): string => inlineCode(escapeForTerminalLine(text));
  const lines = refuted.map(
    ({ path, line, title, evidence }) =>
      `- ${code(`${path}:${line}`)}: ${code(title)}; a verifier quoted: ${code(evidence)}`,
  );
  return [`### ${HEADINGS.refuted}`, lines.join('\n')];
};

/** The number is limited, because a large review can leave out thousands of files. */
const MAX_OMITTED = 100;

const omittedIn = ({ omitted }: ReviewOutput['coverage']): readonly string[] => {
  if (omitted.length === 0) return [];
  const lines = omitted
    .slice(0, MAX_OMITTED)
    .map(({ path, reason }) => `- ${inlineCode(escapeForTerminalLine(path))}: ${inert(escapeForTerminalLine(reason))}`);
  const more = omitted.length - MAX_OMITTED;
  return ['### Not reviewed', [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')];
};
