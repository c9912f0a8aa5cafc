/** Whether the settings of a project let a status of Fixpoint hold a merge on GitLab; see deploy/guide/gitlab.md. */
import type { Permission } from '../../../shared/forge/port.ts';
import type { Gate } from '../../../shared/forge/read-gate.ts';
import { type Seen, warn } from './check.ts';

const GUIDE = 'see deploy/guide/gitlab.md';

/** A Maintainer may merge wherever somebody may, as a rule: only a Developer is told of protected branches. */
export const gateSeen = (path: string, gate: Gate, permission: Permission): readonly Seen[] => [
  ...(gate.waitsForPipelines === false
    ? [
        warn(
          `${path}: a merge does not wait for pipelines, so a status of Fixpoint holds nothing back`,
          `if a merge shall wait for the review, tick "Pipelines must succeed" in Settings, Merge requests; ${GUIDE}`,
        ),
      ]
    : []),
  ...(gate.waitsForPipelines === true && gate.skippedPasses
    ? [
        warn(
          `${path}: a skipped pipeline counts as passed, so a push with [skip ci] can be merged before it is reviewed`,
          `untick "Skipped pipelines are considered successful" in Settings, Merge requests; ${GUIDE}`,
        ),
      ]
    : []),
  ...(permission === 'write' && gate.barred.length > 0
    ? [
        warn(
          `${path}: the bot may neither push to nor merge into the protected ${named(gate.barred)}, so GitLab takes no status for the open merge requests from there`,
          `let the bot push or merge there (Settings, Repository, Protected branches), or make it a Maintainer; ${GUIDE}`,
        ),
      ]
    : []),
];

const named = (branches: readonly string[]): string =>
  `${branches.length === 1 ? 'branch' : 'branches'} ${branches.join(', ')}`;

const TOKEN_ACCOUNT = /^(?:project|group)_\d+_bot(?:_|\d*$)/;

/** A new token of that kind is a new account, whose earlier comments are then those of somebody else. */
export const accountKind = (login: string): string =>
  TOKEN_ACCOUNT.test(login) ? ', the account of one access token: rotate the token rather than make another one' : '';
