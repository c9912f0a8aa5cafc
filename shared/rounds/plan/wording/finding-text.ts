import type { Accepted, Handled } from '../../model/gate-result.ts';
import { renderFinding } from '../../memory/finding-comment.ts';
import type { CommitSha } from '../../../vocabulary/ids.ts';
import type { Place } from '../../../vocabulary/finding.ts';

/** In a code span: forges turn bare ids into links, which the sanitizer breaks up. */
export const shortSha = (sha: CommitSha): string => `\`${sha.slice(0, 10)}\``;

export const placeText = (place: Place): string => {
  const lines = place.startLine === place.line ? `${place.line}` : `${place.startLine}-${place.line}`;
  return `${place.path}:${lines}${place.side === 'old' ? ' (old)' : ''}`;
};

export const findingText = ({ id, finding, blocking, regressionOf }: Accepted): string => {
  const { severity, title, rule, body } = finding.claim;
  return renderFinding({ id, severity, blocking, title, regressionOf, rule, body });
};

export const closureText = ({ thread, answer }: Handled, head: CommitSha): string => {
  const words = answer.body.trim() === '' ? '' : ` ${answer.body.trim()}`;
  const how = thread.state === 'open' ? 'resolved' : 'shown fixed and resolved';
  return `**${thread.id} is ${how} at ${shortSha(head)}.**${words}`;
};

const raised = (before: Handled['thread'], { severity }: Handled['next']): string =>
  severity === before.severity ? '' : `raised to ${severity} and `;

export const replyText = ({ thread, answer, next }: Handled): string => {
  switch (answer.action) {
    case 'veto':
      return `${answer.body}\n\n${thread.id} is handed to a human; the bot will not argue here any more.`;
    case 'escalate':
      return `${answer.body}\n\n${thread.id} is ${raised(thread, next)}handed to a human.`;
    case 'reply':
    case 'resolve':
      return answer.body;
    default:
      return answer.action satisfies never;
  }
};
