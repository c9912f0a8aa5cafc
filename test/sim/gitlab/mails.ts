/**
 * Which deeds send mail (GL app/services/notification_service.rb, commit 6714c9136253): a new note, unless it was published
 * together with other drafts; a review of drafts as a whole; the last open thread that is resolved; a push; an approval
 * and one taken back. Edits, deletions, reactions, statuses, drafts and the threads resolved before send none. Opening,
 * closing, merging and requests for review send mail too, but Fixpoint does none of these, so they are not in the log.
 */
import { receiversOf } from '../shared/mail-log.ts';
import { projectPath } from './paths.ts';
import type { SimMergeRequest, SimUser, World } from './world.ts';

type Letter = { readonly kind: string; readonly by: SimUser; readonly body?: string };

/** To the author, the assignees and reviewers, and everybody who has said something (notification_recipients/builder). */
export const sendMail = (world: World, mr: SimMergeRequest, { kind, by, body = '' }: Letter): void => {
  const people = [mr.author, ...mr.assignees, ...mr.reviewers.map(({ user }) => user)];
  const said = mr.notes.filter(({ system }) => !system).map(({ author }) => author);
  const to = receiversOf({ by: by.username, parties: [...people, ...said].map(({ username }) => username) });
  if (to.length > 0)
    world.mails.push({ repo: projectPath(mr.project), number: mr.iid, kind, by: by.username, to, body });
};
