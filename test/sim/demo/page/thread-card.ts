/** A thread with its code, and a comment on the whole change request. All text is escaped or rendered as the forge does. */
import { SEVERITY_WORDS } from '../../../../shared/vocabulary/severity-words.ts';
import { escapeHtml } from '../../forgejo/markdown.ts';
import { textBody } from '../../forgejo/page-parts.ts';
import type { CodeLine } from '../code-at.ts';
import type { Said } from '../forge.ts';
import { face } from '../review-parts.ts';
import type { Step, StepThread } from '../step.ts';

const KINDS = { added: ['add', '+'], removed: ['del', '-'], context: ['', ' '] } as const;

const codeRow = ({ kind, oldLine, newLine, text }: CodeLine, isLast: boolean): string => {
  const [name, mark] = KINDS[kind];
  const row = [name, isLast ? 'here' : ''].join(' ').trim();
  return `<tr class="${row}"><td class="no">${oldLine ?? ''}</td><td class="no">${newLine ?? ''}</td><td class="text">${escapeHtml(`${mark} ${text}`)}</td></tr>`;
};

const codeTable = (lines: readonly CodeLine[]): string =>
  lines.length === 0
    ? '<div class="body soft">This line is not part of the diff.</div>'
    : `<table class="lines" role="presentation">${lines.map((line, at) => codeRow(line, at === lines.length - 1)).join('')}</table>`;

const STATES: Readonly<Record<StepThread['state'], readonly [name: string, text: string]>> = {
  open: ['', 'open'],
  unverified: ['', 'not verified'],
  resolved: ['resolved', 'resolved'],
  dismissed: ['resolved', 'dismissed'],
  vetoed: ['person', 'waits for a person'],
  escalated: ['person', 'waits for a person'],
};

const tag = (name: string, text: string): string => `<span class="${`tag ${name}`.trim()}">${escapeHtml(text)}</span>`;

const said = ({ author, body }: Said, isFresh: boolean): string =>
  `<div class="said${isFresh ? ' fresh' : ''}"><header>${face(author)}</header>${textBody(body)}</div>`;

const isIn = (all: readonly Said[], { author, body }: Said): boolean =>
  all.some((each) => each.author === author && each.body === body);

/** `before`: the comments of the thread a step earlier; new ones are marked. */
export const threadCard = (thread: StepThread, before: readonly Said[]): string => {
  const { id, path, line, severity, rule, state, code, comments, change } = thread;
  const by = rule === null ? tag('model', 'found by the model') : tag('', `rule ${rule}`);
  const [name, text] = STATES[state];
  const tags = `${by}${tag('', SEVERITY_WORDS[severity])}${tag(name, text)}`;
  const where = `<div class="where"><b>${escapeHtml(path)}</b><span class="soft">line ${line} · ${escapeHtml(id)}</span><span class="tags">${tags}</span></div>`;
  const all = comments.map((each) => said(each, change === 'changed' && !isIn(before, each)));
  return `<article class="thread" aria-label="${escapeHtml(`${id} in ${path}`)}">${where}${codeTable(code)}${all.join('')}</article>`;
};

export const commentCard = ({ author, body, change }: Step['comments'][number]): string =>
  `<article class="card${change === 'new' ? ' fresh' : ''}"><header>${face(author)} commented</header>${textBody(body)}</article>`;
