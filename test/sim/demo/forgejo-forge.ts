import type { FaultStep } from '../forgejo/faults.ts';
import { type ForgejoSim, startForgejoSim } from '../forgejo/start.ts';
import type { Flavour } from '../forgejo/traits.ts';
import { AUTHOR, BOT, type DemoForge, type DemoSight, OWNER, REPO } from './forge.ts';

export type ForgejoForgeOptions = { readonly dataDir: string; readonly flavour: Flavour; readonly port?: number };

const seenIn = (sim: ForgejoSim, number: number): DemoSight => {
  const { head, comments, reviews, headStatuses, statuses } = sim.snapshot(REPO, number);
  const published = reviews.filter(({ state }) => state !== 'PENDING');
  return {
    head,
    comments: [...published, ...comments].map(({ author, body }) => ({ author, body })),
    inline: published.flatMap((review) => review.inline),
    unpublished: reviews
      .filter(({ state }) => state === 'PENDING')
      .flatMap(({ inline }) => inline.map(({ body }) => body)),
    headStatuses,
    statusText: statuses.findLast(({ sha }) => sha === head)?.description ?? '',
  };
};

/** The forge refuses the review as a whole, so the poster sends the comments one by one. */
const oneByOne = (count: number): readonly FaultStep[] => [
  { kind: 'status', status: 422 },
  ...Array.from({ length: count - 1 }, (): FaultStep => ({ kind: 'pass' })),
  { kind: 'timeout', when: 'after' },
];

const codeCommentWith = (sim: ForgejoSim, number: number, about: string): number => {
  const { comments } = sim.pullAt({ repo: REPO, number });
  const found = comments.find(({ code, body }) => code !== null && body.includes(about));
  if (found === undefined) throw new Error(`no thread is about: ${about}`);
  return found.id;
};

export const startForgejoForge = async (options: ForgejoForgeOptions): Promise<DemoForge> => {
  const sim = await startForgejoSim(options);
  sim.createUser({ login: OWNER });
  sim.createUser({ login: AUTHOR });
  const bot = sim.createUser({ login: BOT });
  await sim.createRepo(OWNER, 'shop');
  for (const login of [AUTHOR, BOT]) sim.addCollaborator(REPO, login, 'write');
  return {
    kind: sim.traits.product,
    url: sim.url,
    bot,
    commit: async (wish) => void (await sim.commitFiles({ repo: REPO, ...wish })),
    open: async ({ branch, title, description }) => {
      const wish = { repo: REPO, head: branch, title, body: description, author: AUTHOR };
      const { number } = await sim.openPullRequest(wish);
      return { number, url: `${sim.url}/${REPO}/pulls/${number}` };
    },
    comment: async (wish) => void sim.comment({ repo: REPO, ...wish }),
    answer: async ({ about, ...wish }) =>
      void (await sim.replyInline({ repo: REPO, to: codeCommentWith(sim, wish.number, about), ...wish })),
    haltAfter: (number, count) => {
      const fault = sim.fault({ method: 'POST', path: new RegExp(`/pulls/${number}/reviews$`) }, oneByOne(count));
      return { isReached: () => fault.remaining() === 0, remove: () => fault.remove() };
    },
    addWebhook: (url, secret) => void sim.addWebhook({ repo: REPO, url, secret }),
    look: (number) => seenIn(sim, number),
    until: (condition, timeoutMs) => sim.until(condition, timeoutMs),
    settled: () => sim.settled(),
    requests: sim.requests,
    violations: sim.violations,
    quickActions: sim.quickActions,
    close: () => sim.close(),
  };
};
