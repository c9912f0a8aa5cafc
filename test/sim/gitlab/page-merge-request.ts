import { escapeHtml } from '../forgejo/markdown.ts';
import { avatar, excerpt, nameOf, page, textBody, time } from '../forgejo/page-parts.ts';
import { SimGitError } from '../forgejo/git.ts';
import { type DiffFile, diffFiles, lineAt } from './diffs.ts';
import { isDraft, isResolvable, isResolved, mergeRequestUrl, webUrl } from './mr-facts.ts';
import { latestStatuses } from './pipelines.ts';
import { projectPath } from './paths.ts';
import type { SimMergeRequest, SimNote, SimPosition, SimProject, SimUser, World } from './world.ts';

const face = (user: SimUser) => ({ id: user.id, login: user.username, isAdmin: user.isAdmin, deleted: user.deleted });
const shownName = (user: SimUser): string => nameOf(face(user));

const link = (address: string, label: string): string => `<a href="${escapeHtml(address)}">${label}</a>`;

const badgeClass: Readonly<Record<string, string>> = {
  opened: 'open',
  failed: 'failure',
  canceled: 'skipped',
  running: 'pending',
};
const badge = (word: string): string =>
  `<span class="badge ${badgeClass[word] ?? escapeHtml(word)}">${escapeHtml(word)}</span>`;

const stateOf = (mr: SimMergeRequest): string => (mr.state === 'opened' && isDraft(mr) ? 'draft' : mr.state);

const head = (world: World, mr: SimMergeRequest): string => {
  const name = projectPath(mr.project);
  const url = mergeRequestUrl(world, mr);
  return `<div class="path">${link(`${world.publicUrl}/`, 'Projects')} / ${link(webUrl(world, mr.project), escapeHtml(name))}</div>
<h1>${escapeHtml(mr.title)} <span class="number">!${mr.iid}</span></h1>
<div class="lead">${badge(stateOf(mr))}
<span><b>${shownName(mr.author)}</b> requested to merge <span class="ref">${escapeHtml(mr.sourceBranch)}</span> into <span class="ref">${escapeHtml(mr.targetBranch)}</span></span>
<span>at <span class="ref">${mr.headSha.slice(0, 10)}</span></span>
<span>${link(`${url}.diff`, 'diff')}</span></div>`;
};

const checks = (mr: SimMergeRequest): string => {
  const rows = latestStatuses(mr.project, mr.headSha).map(
    (status) =>
      `<li>${badge(status.state)}<b>${escapeHtml(status.name)}</b><span class="soft">${escapeHtml(status.description ?? '')}</span></li>`,
  );
  const approvals = mr.approvals.map(({ user }) => `<li>${badge('success')}<b>approved</b> by ${shownName(user)}</li>`);
  if (rows.length + approvals.length === 0) return '';
  return `<section class="card"><header><b>Checks</b> of ${mr.headSha.slice(0, 10)}</header><ul class="checks">${[...rows, ...approvals].join('')}</ul></section>`;
};

const shownLines = 4;

const cutLines = (file: DiffFile, position: SimPosition): string => {
  const line = lineAt(file, { oldLine: position.old_line, newLine: position.new_line });
  const at = line === undefined ? -1 : file.lines.indexOf(line);
  const part = at < 0 ? [] : file.lines.slice(Math.max(0, at - shownLines + 1), at + 1);
  const [first] = part;
  if (first === undefined) return '';
  const header = `@@ -${first.old} +${first.new} @@`;
  return excerpt([header, ...part.map((one) => one.text)].join('\n'));
};

const excerptFor = async (mr: SimMergeRequest, position: SimPosition): Promise<string> => {
  try {
    const files = await diffFiles(mr.project.gitDir, position.base_sha, position.head_sha);
    const file = files.find((one) => one.oldPath === position.old_path && one.newPath === position.new_path);
    return file === undefined ? '' : cutLines(file, position);
  } catch (error) {
    if (error instanceof SimGitError) return '';
    throw error;
  }
};

const said = (note: SimNote): string =>
  `<div class="said" id="note_${note.id}"><header>${avatar(face(note.author))}<b>${shownName(note.author)}</b>${time(note.createdAt)}</header>${textBody(note.body)}</div>`;

const placeWords = (note: SimNote): string => {
  const position = note.originalPosition;
  if (position === null) return 'thread';
  const line = position.new_line ?? position.old_line;
  const side = position.new_line === null ? 'old' : 'new';
  const where = line === null ? '' : `<span class="soft">line ${line} (${side})</span>`;
  return `<b>${escapeHtml(position.new_path ?? position.old_path ?? '')}</b>${where}`;
};

const thread = async (mr: SimMergeRequest, notes: readonly SimNote[]): Promise<string> => {
  const [first] = notes;
  if (first === undefined) return '';
  const resolver = notes.find((note) => note.resolvedBy !== null)?.resolvedBy;
  const words = [
    first.outdated ? 'outdated' : '',
    isResolved(mr, first.discussionId) && resolver !== null && resolver !== undefined
      ? `resolved by ${shownName(resolver)}`
      : '',
  ].filter((word) => word !== '');
  const lines = first.originalPosition === null ? '' : await excerptFor(mr, first.originalPosition);
  const where = `<div class="where">${placeWords(first)}<span class="state">${words.join(', ')}</span></div>`;
  return `<div class="thread">${where}${lines}${notes.map(said).join('')}</div>`;
};

const card = (note: SimNote): string =>
  `<section class="card" id="note_${note.id}"><header>${avatar(face(note.author))}<b>${shownName(note.author)}</b> commented${note.internal ? ' (internal)' : ''}${time(note.createdAt)}</header>${textBody(note.body)}</section>`;

const event = (note: SimNote): string =>
  `<div class="event"><b>${shownName(note.author)}</b> ${escapeHtml(note.body)} ${time(note.createdAt)}</div>`;

/** Threads are shown at their first note, with replies below. */
const timeline = async (mr: SimMergeRequest): Promise<string> => {
  const parts: string[] = [];
  const seen = new Set<string>();
  for (const note of mr.notes) {
    if (note.system) parts.push(event(note));
    else if (!isResolvable(note)) parts.push(card(note));
    else if (!seen.has(note.discussionId)) {
      seen.add(note.discussionId);
      const notes = mr.notes.filter((other) => other.discussionId === note.discussionId);
      parts.push(await thread(mr, notes));
    }
  }
  return parts.join('\n');
};

/** Without drafts, which other users do not see either. */
export const mergeRequestPage = async (world: World, mr: SimMergeRequest): Promise<string> => {
  const description = `<section class="card"><header>${avatar(face(mr.author))}<b>${shownName(mr.author)}</b> opened this${time(mr.createdAt)}</header>${textBody(mr.description)}</section>`;
  const title = `${mr.title} · !${mr.iid} · ${projectPath(mr.project)}`;
  return page(title, `${head(world, mr)}${checks(mr)}${description}${await timeline(mr)}`);
};

export const listPage = (world: World, only: SimProject | null): string => {
  const projects = only === null ? world.projects : [only];
  const sections = projects.map((project) => {
    const rows = project.mergeRequests.toReversed().map((mr) => {
      const to = link(mergeRequestUrl(world, mr), escapeHtml(mr.title));
      return `<li>${badge(stateOf(mr))}${to}<span class="soft">!${mr.iid} by ${shownName(mr.author)}</span></li>`;
    });
    const list =
      rows.length === 0 ? '<div class="body soft">No merge requests.</div>' : `<ul class="list">${rows.join('')}</ul>`;
    const name = link(webUrl(world, project), escapeHtml(projectPath(project)));
    return `<section class="card"><header><b>${name}</b>${project.visibility}</header>${list}</section>`;
  });
  const heading = `<h1>${only === null ? 'Projects' : escapeHtml(projectPath(only))}</h1>`;
  const title = only === null ? 'Projects' : projectPath(only);
  return page(title, heading + (sections.join('') || '<p class="empty">Nothing here yet.</p>'));
};
