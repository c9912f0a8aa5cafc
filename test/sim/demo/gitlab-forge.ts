import type { FaultStep } from '../forgejo/faults.ts';
import { type GitlabSim, startGitlabSim } from '../gitlab/start.ts';
import { AUTHOR, BOT, type DemoForge, type DemoSight, OWNER, REPO } from './forge.ts';

export type GitlabForgeOptions = { readonly dataDir: string; readonly port?: number };

const DEVELOPER = 30;

type Thread = {
  readonly place: { readonly path: string; readonly oldLine: number | null; readonly newLine: number | null } | null;
  readonly resolved: boolean;
  readonly notes: readonly { readonly author: string; readonly body: string }[];
};

const toInline = ({ place, notes, resolved }: Thread): DemoSight['inline'] => {
  const line = place?.newLine ?? place?.oldLine ?? null;
  if (place === null || line === null) return [];
  const side = place.newLine === null ? 'old' : 'new';
  return notes.map(({ author, body }) => ({ author, path: place.path, line, side, body, resolved }));
};

const seenIn = (sim: GitlabSim, number: number): DemoSight => {
  const { head, comments, threads, drafts, headStatuses, statuses } = sim.snapshot(REPO, number);
  const whole = threads.filter(({ place }) => place === null).flatMap(({ notes }) => notes);
  return {
    head,
    comments: [...comments, ...whole].map(({ author, body }) => ({ author, body })),
    inline: threads.flatMap(toInline),
    unpublished: drafts.map(({ body }) => body),
    headStatuses,
    statusText: statuses.findLast(({ sha }) => sha === head)?.description ?? '',
  };
};

/** The comments of a review are drafts first, one request each. */
const draftByDraft = (count: number): readonly FaultStep[] => [
  ...Array.from({ length: count - 1 }, (): FaultStep => ({ kind: 'pass' })),
  { kind: 'timeout', when: 'after' },
];

const discussionWith = (sim: GitlabSim, number: number, about: string): string => {
  const { notes } = sim.mergeRequestAt({ project: REPO, iid: number });
  const found = notes.find(({ type, body }) => type === 'DiffNote' && body.includes(about));
  if (found === undefined) throw new Error(`no thread is about: ${about}`);
  return found.discussionId;
};

export const startGitlabForge = async (options: GitlabForgeOptions): Promise<DemoForge> => {
  const sim = await startGitlabSim(options);
  sim.createUser({ login: OWNER });
  sim.createUser({ login: AUTHOR });
  const bot = sim.createUser({ login: BOT });
  await sim.createProject(REPO);
  for (const login of [AUTHOR, BOT]) sim.addMember(REPO, login, DEVELOPER);
  return {
    kind: 'gitlab',
    url: sim.url,
    bot,
    commit: async (wish) => void (await sim.commitFiles({ project: REPO, ...wish })),
    open: async ({ branch, title, description }) => {
      const wish = { project: REPO, sourceBranch: branch, title, description, author: AUTHOR };
      const { iid } = await sim.openMergeRequest(wish);
      return { number: iid, url: `${sim.url}/${REPO}/-/merge_requests/${iid}` };
    },
    comment: async ({ number, as, body }) => void (await sim.comment({ project: REPO, iid: number, as, body })),
    answer: async ({ number, as, body, about }) => {
      const discussion = discussionWith(sim, number, about);
      await sim.replyToDiscussion({ project: REPO, iid: number, as, body, discussion });
    },
    haltAfter: (number, count) => {
      const path = new RegExp(`/merge_requests/${number}/draft_notes$`);
      const fault = sim.fault({ method: 'POST', path }, draftByDraft(count));
      return { isReached: () => fault.remaining() === 0, remove: () => fault.remove() };
    },
    addWebhook: (url, secret) => void sim.addProjectHook({ project: REPO, url, token: secret }),
    look: (number) => seenIn(sim, number),
    until: (condition, timeoutMs) => sim.until(condition, timeoutMs),
    settled: () => sim.settled(),
    requests: sim.requests,
    violations: sim.violations,
    quickActions: sim.quickActions,
    close: () => sim.close(),
  };
};
