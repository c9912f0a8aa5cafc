import type { Accepted, Handled } from '../../model/gate-result.ts';
import { renderFinding, smallPrint } from '../../memory/finding-comment.ts';
import { shownCommand } from './shown-command.ts';
import { severityWord } from '../../../vocabulary/severity-words.ts';
import type { CommitSha } from '../../../vocabulary/ids.ts';
import type { Place } from '../../../vocabulary/finding.ts';

/** The id is in a code span: forges turn bare ids into links, which the sanitizer breaks up. */
export const shortSha = (sha: CommitSha): string => `\`${sha.slice(0, 10)}\``;

export const placeText = (place: Place): string => {
  const lines = place.startLine === place.line ? `${place.line}` : `${place.startLine}-${place.line}`;
  return `${place.path}:${lines}${place.side === 'old' ? ' (old)' : ''}`;
};

export const findingText = ({ finding, regressionOf }: Accepted): string => {
  const { severity, title, body } = finding.claim;
  return renderFinding({ severity, title, regressionOf, body });
};

type Claimant = Pick<Accepted['finding']['claim'], 'rule' | 'alsoRules'>;

const foundBy = ({ rule, alsoRules = [] }: Claimant, runner: string | undefined): string => {
  if (rule !== null) return rulesText([rule, ...alsoRules]);
  return runner === 'messages' ? 'an external reviewer' : 'the model';
};

/** Such as "the rules `js-eval` and `eslint/no-eval`". */
export const rulesText = (rules: readonly string[]): string => {
  const [last = '', ...others] = rules.map((rule) => `\`${rule}\``).toReversed();
  return others.length === 0 ? `the rule ${last}` : `the rules ${others.toReversed().join(', ')} and ${last}`;
};

export type Finder = { readonly runner: string | undefined; readonly mention: string | undefined };

export const findingFoot = ({ id, finding, blocking }: Accepted, { runner, mention }: Finder): string =>
  smallPrint({
    id,
    blocking,
    by: foundBy(finding.claim, runner),
    dismiss: shownCommand(mention, `dismiss ${id} because …`),
  });

export const closureText = ({ thread, answer }: Handled, head: CommitSha): string => {
  const words = answer.body.trim() === '' ? '' : ` ${answer.body.trim()}`;
  return `**${thread.state === 'open' ? 'Resolved' : 'Shown fixed and resolved'}** at ${shortSha(head)} (${thread.id}).${words}`;
};

const raised = (before: Handled['thread'], { severity }: Handled['next']): string =>
  severity === before.severity ? '' : `The severity is now **${severityWord(severity).toLowerCase()}**. `;

export const replyText = ({ thread, answer, next }: Handled): string => {
  switch (answer.action) {
    case 'veto':
      return `${answer.body}\n\n**A person has to decide.** The bot will not continue this discussion.`;
    case 'escalate':
      return `${answer.body}\n\n${raised(thread, next)}**A person has to decide.**`;
    case 'reply':
    case 'resolve':
      return answer.body;
    default:
      return answer.action satisfies never;
  }
};
