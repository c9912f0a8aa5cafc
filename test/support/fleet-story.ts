/** One change request over three rounds: three defects; then one fixed and one new; then all fixed. */
import type { FileMap } from '../sim/forgejo/git.ts';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { removeBreaks } from '../../shared/text/break-points.ts';
import { AUTHOR, type Fleet, OWNER } from './fleet.ts';
import { type FleetSim, handsOn, type Said } from './fleet-forge.ts';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

const SUM = lines('export const sum = (a, b) => {', '  return a + b;', '};');
const GREET = lines('def greet(name):', '    return "Hello " + name');
const SHIP = lines('#!/bin/sh', 'set -eu', 'echo shipping');

export const BASE: FileMap = { 'README.md': '# Shop\n', 'sum.js': SUM, 'greet.py': GREET, 'ship.sh': SHIP };

const SUM_BROKEN = SUM.replace('a + b', 'eval(a) + b');
const SHIP_BROKEN = `${SHIP}curl --insecure https://shop.example/ship\n`;
const GREET_BROKEN = lines('import pickle', '', '', 'def greet(name):', '    return "Hello " + pickle.loads(name)');

/** What the author pushes before each round: first the whole change, then fixes. */
export const PUSHES: readonly FileMap[] = [
  { 'sum.js': SUM_BROKEN, 'ship.sh': SHIP_BROKEN, 'greet.py': GREET_BROKEN },
  // The line of F-001 is edited and still wrong: its thread is answered.
  {
    'sum.js': SUM_BROKEN.replace('eval(a)', 'Number(a)'),
    'greet.py': GREET_BROKEN.replace('Hello', 'Welcome'),
    'menu.js': 'export const menu = [];\ndebugger;\n',
  },
  { 'ship.sh': `${SHIP}curl https://shop.example/ship\n`, 'greet.py': GREET, 'menu.js': 'export const menu = [];\n' },
];

export const ROUNDS = PUSHES.length;

/** The findings' comments after each round, on every kind of forge. */
export const FINDINGS: readonly (readonly string[])[] = [
  [
    'greet.py:5 F-001 to fix before merging',
    'ship.sh:4 F-002 to fix before merging',
    'sum.js:2 F-003 to fix before merging',
  ],
  [
    'greet.py:5 F-001 to fix before merging',
    'ship.sh:4 F-002 to fix before merging',
    'sum.js:2 F-003 Resolved at `head-2`',
    'menu.js:2 F-004 a suggestion',
  ],
  [
    'greet.py:5 F-001 Resolved at `head-3`',
    'ship.sh:4 F-002 Resolved at `head-3`',
    'sum.js:2 F-003 Resolved at `head-2`',
    'menu.js:2 F-004 Resolved at `head-3`',
  ],
];

export type Told = { readonly repo: string; readonly branch: string; readonly number: number };

type OnForge = Pick<Fleet<FleetSim>, 'sim'>;

export const commitBase = async ({ sim, repos }: Pick<Fleet<FleetSim>, 'sim' | 'repos'>): Promise<void> => {
  const wish = { branch: 'main', files: BASE, message: 'Open the shop\n', author: OWNER };
  for (const repo of repos) await handsOn(sim).commit({ ...wish, repo });
};

/** Pushes the branch, then opens the change request, so that its first head is reviewed. */
export const openStory = async (
  { sim }: OnForge,
  repo: string,
  branch: string,
  beside: FileMap = {},
): Promise<Told> => {
  await pushReview({ sim }, { repo, branch, number: 0 }, 1, beside);
  const number = await handsOn(sim).open({ repo, branch, title: 'Change the shop', author: AUTHOR });
  return { repo, branch, number };
};

export const pushReview = async (
  { sim }: OnForge,
  { repo, branch }: Told,
  review: number,
  beside: FileMap = {},
): Promise<void> => {
  const files = { ...PUSHES[review - 1], ...beside };
  const message = `Round ${review} of ${branch}\n`;
  await handsOn(sim).commit({ repo, branch, files, message, author: AUTHOR });
};

export const statusOf = ({ sim }: OnForge, { repo, number }: Told): string | undefined =>
  sim.snapshot(repo, number).headStatuses['fixpoint'];

const ROUND_MS = 60_000;

/** Waits for a final status: it is written last. */
export const awaitVerdict = async (fleet: OnForge, told: Told, timeoutMs = ROUND_MS): Promise<void> => {
  await fleet.sim.until(() => {
    const status = statusOf(fleet, told);
    // GitLab has a word of its own for a review that has begun.
    return status !== undefined && !['pending', 'running'].includes(status);
  }, timeoutMs);
};

/** What a reader sees, without addresses of threads, and with commit ids replaced by their order, so that two runs of one story are equal. */
export const readerView = ({ sim }: OnForge, told: Told) => {
  const { heads, comments, reviews, inline, unpublished, headStatuses } = handsOn(sim).look(told);
  const named = <Words extends Said>(words: Words): Words => ({ ...words, body: withoutIds(words.body, heads) });
  return {
    comments: comments.map(named),
    reviews: reviews.map(named),
    inline: inline.map((each) => ({ ...named(each), replies: each.replies.map(named) })),
    unpublished: unpublished.map(named),
    headStatuses,
  };
};

/** Findings in the format of `FINDINGS`; replies are left out. */
export const findingsIn = ({ inline }: Pick<ReturnType<typeof readerView>, 'inline'>): readonly string[] =>
  inline.flatMap(({ path, line, body }) => {
    const [, how, closedId] = /^\*\*(Resolved\*\* at `[\w-]+`) \((F-\d+)\)/.exec(body) ?? [];
    if (closedId !== undefined) return [`${path}:${line} ${closedId} ${how?.replace('**', '')}`];
    const [, id, said] = /^_`(F-\d+)` · (to fix before merging|a suggestion)/m.exec(body) ?? [];
    return id === undefined ? [] : [`${path}:${line} ${id} ${said}`];
  });

/** What is spent, and the runs that are left: a run that is begun again costs both. */
const withoutCost = (body: string): string =>
  removeBreaks(body)
    .replaceAll(/\\?\$[\d.]+|\b\d+ calls?\b/g, 'cost')
    .replaceAll(/(review \d+ of) \d+/gi, '$1 all');

const withoutIds = (body: string, heads: readonly string[]): string =>
  withoutCost(stripMarkers(body))
    .replaceAll(/\]\(https?:\/\/[^\s)]*#[a-z_-]+\d+\)/g, '](thread)')
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, (hash) => {
      const index = heads.findIndex((head) => head.startsWith(hash));
      return index < 0 ? hash : `head-${index + 1}`;
    });
