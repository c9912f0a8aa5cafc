/**
 * Which deeds send mail, with the same rule in both products (services/mailer/notify.go and mail_issue.go; Forgejo
 * d883bd8f1269, Gitea 9d3f04eb7ed0): a new comment, a submitted review as a whole, a push and a dismissal. Edits,
 * deletions, reactions, statuses, resolving and comments that Forgejo adds to a submitted review send none. A comment of
 * a review mails only whom it mentions, beside the mail of the review. Opening, closing, merging and requests for review
 * send mail too, but Fixpoint does none of these, so they are not in the log.
 */
import { receiversOf } from '../shared/mail-log.ts';
import type { SimPull, SimUser, World } from './world.ts';
import { fullName } from './world.ts';

type Letter = { readonly by: SimUser; readonly body: string };

/** To the author, the assignees and everybody who has said something (mailIssueCommentToParticipants). */
export const sendMail = (world: World, pull: SimPull, kind: string, { by, body }: Letter): void => {
  const parties = [pull.author, ...pull.assignees, ...pull.comments.map(({ author }) => author)];
  const to = receiversOf({ by: by.login, parties: parties.map(({ login }) => login) });
  if (to.length > 0) world.mails.push({ repo: fullName(pull.repo), number: pull.number, kind, by: by.login, to, body });
};

/** One more mail, to those alone whom a comment of a submitted review mentions (MailMentionsComment). */
export const mailMentioned = (
  world: World,
  pull: SimPull,
  comment: { readonly author: SimUser; readonly body: string },
): void => {
  const { author: by, body } = comment;
  const named = new Set([...body.matchAll(/(?<![\w/])@([\w-]+)/g)].map(([, login]) => login));
  const to = world.users.map(({ login }) => login).filter((login) => named.has(login) && login !== by.login);
  if (to.length > 0)
    world.mails.push({ repo: fullName(pull.repo), number: pull.number, kind: 'mail.mention', by: by.login, to, body });
};
