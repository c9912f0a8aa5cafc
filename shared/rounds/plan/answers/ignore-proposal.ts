/** Writes the `[[ignore]]` entry that `dismiss … always` proposes. The bot never adds it to the file: a person pastes it. */
import { codeFence, inlineCode } from '../../../text/code-fence.ts';
import { createRedactor } from '../../../text/redact.ts';
import { tomlString } from '../../../text/toml-string.ts';
import {
  DEFAULT_PROJECT_IGNORES,
  MAX_IGNORE_REASON,
  type WhyHeard,
  IGNORABLE_RULE,
  whyAlwaysHeard,
} from '../../../vocabulary/ignores.ts';
import { isGrave } from '../../model/blocking.ts';
import { placeToday, type Thread } from '../../model/history.ts';
import type { PlanContext } from '../../model/posting/plan-context.ts';
import { settingsPagesOf } from '../wording/settings-pages.ts';

/** Whether the target branch has a `.fixpoint.toml`. */
export type SettingsFileState = 'present' | 'missing' | 'unknown';

export type Proposal = {
  readonly thread: Thread;
  readonly reason: string;
  readonly file: SettingsFileState;
};

export const proposalText = (context: PlanContext, { thread, reason, file }: Proposal): string => {
  const why = whyNoEntry(context, thread);
  if (why !== null) return `No \`[[ignore]]\` entry is offered: ${why}.`;
  return [
    `To ignore this finding in later change requests too, ${whereText(context, file)}. The entry takes effect as soon as the branch contains it.`,
    codeFence(ignoreBlock(thread, reason), 'toml'),
    '`path` can be a pattern, and `until = "2026-12-31"` lets the entry expire on that day.',
  ].join('\n\n');
};

const WHY_HEARD: Readonly<Record<WhyHeard, string>> = {
  secret: 'secrets are always reported',
  critical: 'critical findings are always reported',
  off: 'the operator does not let projects ignore findings (`review.project_ignores` is `off`)',
  blocks:
    'the operator lets projects ignore only findings that do not block merging (`review.project_ignores` is `non_blocking`)',
};

const whyNoEntry = ({ policy }: PlanContext, thread: Thread): string | null => {
  const { severity, rule, blocking } = thread;
  const blocks = blocking || isGrave(severity);
  const heard = whyAlwaysHeard({ severity, rule, blocks }, policy.projectIgnores ?? DEFAULT_PROJECT_IGNORES);
  if (heard !== null) return WHY_HEARD[heard];
  const isMoved = placeToday(thread).path !== thread.place.path;
  return isMoved ? 'its file was renamed, so a later review gives the finding another fingerprint' : null;
};

const whereText = ({ facts }: PlanContext, file: SettingsFileState): string => {
  const branch = inlineCode(facts.targetBranch);
  const pages = settingsPagesOf(facts);
  if (file === 'missing') {
    const create = pages === null ? '`.fixpoint.toml`' : `[.fixpoint.toml](${pages.create})`;
    return `create ${create} in the root folder of ${branch} with this entry`;
  }
  return `add this entry to ${pages === null ? '`.fixpoint.toml`' : `[.fixpoint.toml](${pages.edit})`} of ${branch}`;
};

/** The entry names the rule if its id can be an entry's and the path can be written as a pattern that matches only this file; otherwise the exact claim. */
export const ignoreBlock = (thread: Thread, reason: string): string => {
  const { rule, alsoRules = [], fingerprint, place, comment } = thread;
  const pattern = patternFor(place.path);
  // A pattern without a slash matches at any depth.
  const isAlone = rule !== null && alsoRules.length === 0;
  const byRule = isAlone && IGNORABLE_RULE.test(rule) && pattern?.includes('/') === true;
  const url = comment?.webUrl ?? '';
  return [
    '[[ignore]]',
    byRule ? `rule = ${tomlString(rule)}` : `fingerprint = ${tomlString(fingerprint)}`,
    `path = ${tomlString(pattern ?? '**')}`,
    `reason = ${tomlString(shortReason(reason))}`,
    ...(/^https?:\/\/\S{1,2000}$/.test(url) ? [`thread = ${tomlString(url)}`] : []),
  ].join('\n');
};

/** Returns null if the path is longer than the settings accept as a pattern (`PathPattern`). */
const patternFor = (path: string): string | null => {
  const pattern = path.replaceAll(/[\\*?[\]{},!]/g, String.raw`\$&`);
  const stars = pattern.split('*').length - 1;
  return pattern.length > 200 || stars > 8 || /\p{Cc}/u.test(pattern) ? null : pattern;
};

/** Removes secrets before the text is escaped, because the secret scan would not find them afterwards. */
const shortReason = (reason: string): string =>
  createRedactor([])(reason)
    .text.replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_IGNORE_REASON);
