/** Reads back from the forge what the bot posted about one change request, from its own signed comments. */
import type { Config } from '../../../shared/config/load.ts';
import { markerSecretsOf } from '../../../shared/config/loaded/marker-secrets.ts';
import { inScope, parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import type { History, Thread } from '../../../shared/rounds/model/history.ts';
import { findInput, type Input, mayBeSameInput } from '../../../shared/rounds/model/input.ts';
import { type ChangeRequest, changeRequestKey, type CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Verdict } from '../../../shared/vocabulary/finding.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type PostedFinding = Pick<Thread, 'id' | 'severity' | 'state' | 'blocking' | 'review' | 'title'> & {
  readonly path: string;
  readonly line: number;
  readonly side: Thread['place']['side'];
  /** Address of the finding's comment. Null for a finding that is only listed in the summary. */
  readonly url: string | null;
};

export type PostedReview = {
  readonly changeRequest: ChangeRequest;
  readonly head: CommitSha;
  readonly verdict: Verdict;
  /** Null when the head got its verdict without a review: a cap was reached, or every attempt failed. */
  readonly review: number | null;
  /** False when the verdict existed before, because the same head is not reviewed twice. */
  readonly isNew: boolean;
  /** All findings of the change request so far, with their current state. */
  readonly findings: readonly PostedFinding[];
  readonly url: string | null;
};

export type PostTarget = { readonly forge: Forge; readonly of: ChangeRequest; readonly config: Config };

/** @throws UsageError when the change request does not exist, is not open, or its project is not served */
export const readOpen = async ({ forge, of, config }: PostTarget, signal: AbortSignal): Promise<ChangeRequestFacts> => {
  const project = await forge.read.fetchProject(of.projectId, signal);
  const patterns = config.forges.find(({ id }) => id === of.forge)?.projects ?? [];
  if (!inScope(parseProjectScope(patterns), project?.path ?? null))
    throw new UsageError(`the configuration does not serve the project ${of.projectId} of ${of.forge}`);
  const facts = await forge.read.fetchChangeRequest(of, signal);
  if (facts === null) throw new UsageError('change request not found, or the token cannot read it');
  if (facts.state !== 'open') throw new UsageError(`the change request is ${facts.state}`);
  return facts;
};

/** Returns null when the input has no verdict. */
export const readPosted = async (
  { forge, of, config }: PostTarget,
  { input, botIds }: { readonly input: Input; readonly botIds: ReadonlySet<number> },
  signal: AbortSignal,
): Promise<Omit<PostedReview, 'isNew'> | null> => {
  const comments = await forge.read.fetchComments(of, signal);
  const secrets = markerSecretsOf(config.secrets);
  const history = rebuildHistory({ comments, key: changeRequestKey(of), botIds, secrets });
  const reviewed = findInput(history.reviewed, input);
  if (reviewed === undefined && !history.closed.some((known) => mayBeSameInput(known, input))) return null;
  return {
    changeRequest: of,
    head: input.head,
    verdict: reviewed?.verdict ?? 'inconclusive',
    review: reviewed?.review ?? null,
    findings: findingsOf(history),
    url: history.summary?.comment.webUrl ?? null,
  };
};

const findingsOf = ({ threads }: History): readonly PostedFinding[] =>
  threads.map(({ id, severity, state, blocking, review, title, place, comment }) => {
    const { path, line, side } = place;
    return { id, severity, state, blocking, review, title, path, line, side, url: comment?.webUrl ?? null };
  });
