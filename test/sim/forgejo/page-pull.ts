import { escapeHtml } from './markdown.ts';
import { avatar, link, nameOf, page, textBody, thread, time } from './page-parts.ts';
import { isDraft } from './pull-facts.ts';
import { latestStatuses } from './statuses.ts';
import { fullName, type SimComment, type SimPull, type World } from './world.ts';

const stateOf = (world: World, pull: SimPull): string => {
  if (pull.merged) return 'merged';
  if (pull.state === 'closed') return 'closed';
  return isDraft(world, pull) ? 'draft' : 'open';
};

const head = (world: World, pull: SimPull): string => {
  const state = stateOf(world, pull);
  const name = fullName(pull.repo);
  return `<div class="path">${link(world, '/', 'Projects')} / ${link(world, `/${name}`, escapeHtml(name))}</div>
<h1>${escapeHtml(pull.title)} <span class="number">#${pull.number}</span></h1>
<div class="lead"><span class="badge ${state}">${state.slice(0, 1).toUpperCase()}${state.slice(1)}</span>
<span><b>${nameOf(pull.author)}</b> wants to merge <span class="ref">${escapeHtml(pull.headRef)}</span> into <span class="ref">${escapeHtml(pull.baseRef)}</span></span>
<span>at <span class="ref">${pull.headSha.slice(0, 10)}</span></span>
<span>${link(world, `/${name}/pulls/${pull.number}.diff`, 'diff')}</span></div>`;
};

const checks = (pull: SimPull): string => {
  const rows = latestStatuses(pull.repo, pull.headSha).map(
    (status) =>
      `<li><span class="badge ${escapeHtml(status.state)}">${escapeHtml(status.state)}</span><b>${escapeHtml(status.context)}</b><span class="soft">${escapeHtml(status.description)}</span></li>`,
  );
  if (rows.length === 0) return '';
  return `<section class="card"><header><b>Commit status</b> of ${pull.headSha.slice(0, 10)}</header><ul class="checks">${rows.join('')}</ul></section>`;
};

const card = (comment: SimComment, what: string, more = ''): string =>
  `<section class="card${comment.body === '' && more === '' ? ' bare' : ''}" id="issuecomment-${comment.id}"><header>${avatar(comment.author)}<b>${nameOf(comment.author)}</b> ${what}${time(comment.createdAt)}</header>${comment.body === '' ? '' : textBody(comment.body)}${more}</section>`;

const threadsOf = (pull: SimPull, reviewId: number): readonly (readonly SimComment[])[] => {
  const threads = new Map<string, SimComment[]>();
  for (const comment of pull.comments) {
    if (comment.code === null || comment.reviewId !== reviewId) continue;
    const key = `${comment.code.path}\0${comment.code.line}`;
    threads.set(key, [...(threads.get(key) ?? []), comment]);
  }
  return [...threads.values()];
};

const verdicts: Readonly<Record<string, string>> = {
  APPROVED: 'approved these changes',
  REQUEST_CHANGES: 'requested changes',
  COMMENT: 'reviewed',
};

const reviewCard = (pull: SimPull, comment: SimComment): string => {
  const review = pull.reviews.find((candidate) => candidate.id === comment.reviewId);
  if (review === undefined) return '';
  const flags = [review.dismissed ? 'dismissed' : '', review.stale ? 'stale' : ''].filter((flag) => flag !== '');
  const what = `<span class="badge ${review.state}">${verdicts[review.state] ?? 'reviewed'}</span><span>at <span class="ref">${review.commitId.slice(0, 10)}</span> ${flags.join(', ')}</span>`;
  const threads = threadsOf(pull, review.id).map(thread).join('');
  return card(comment, what, threads === '' ? '' : `<div style="padding-top:14px">${threads}</div>`);
};

const phrases: Readonly<Record<string, string>> = {
  pull_push: 'pushed',
  close: 'closed this',
  reopen: 'reopened this',
  merge_pull: 'merged this',
  change_title: 'changed the title:',
  change_target_branch: 'changed the target branch:',
  review_request: 'asked for a review by',
};

const event = (comment: SimComment): string => {
  const short = comment.kind === 'pull_push' ? comment.body.slice(0, 10) : comment.body;
  const detail = short === '' ? '' : ` <span class="ref">${escapeHtml(short)}</span>`;
  return `<div class="event"><b>${nameOf(comment.author)}</b> ${phrases[comment.kind] ?? escapeHtml(comment.kind)}${detail} ${time(comment.createdAt)}</div>`;
};

const entry = (pull: SimPull, comment: SimComment): string => {
  if (comment.kind === 'comment') return card(comment, 'commented');
  if (comment.kind === 'review') return reviewCard(pull, comment);
  return comment.kind === 'code' ? '' : event(comment);
};

/** Without pending reviews; inline comments are shown below their submitted review. */
export const pullPage = (world: World, pull: SimPull): string => {
  const description = `<section class="card"><header>${avatar(pull.author)}<b>${nameOf(pull.author)}</b> opened this${time(pull.createdAt)}</header>${textBody(pull.body)}</section>`;
  const timeline = pull.comments.map((comment) => entry(pull, comment)).join('\n');
  const title = `${pull.title} · #${pull.number} · ${fullName(pull.repo)}`;
  return page(title, `${head(world, pull)}${checks(pull)}${description}${timeline}`);
};

export const listPage = (world: World, only: string | null): string => {
  const repos = world.repos.filter((repo) => only === null || fullName(repo) === only);
  const sections = repos.map((repo) => {
    const name = fullName(repo);
    const rows = repo.pulls.toReversed().map((pull) => {
      const state = stateOf(world, pull);
      const to = link(world, `/${name}/pulls/${pull.number}`, escapeHtml(pull.title));
      return `<li><span class="badge ${state}">${state}</span>${to}<span class="soft">#${pull.number} by ${nameOf(pull.author)}</span></li>`;
    });
    const list =
      rows.length === 0 ? '<div class="body soft">No pull requests.</div>' : `<ul class="list">${rows.join('')}</ul>`;
    return `<section class="card"><header><b>${link(world, `/${name}`, escapeHtml(name))}</b>${repo.private ? 'private' : ''}</header>${list}</section>`;
  });
  const heading = `<h1>${only === null ? 'Projects' : escapeHtml(only)}</h1>`;
  return page(only ?? 'Projects', heading + (sections.join('') || '<p class="empty">Nothing here yet.</p>'));
};
