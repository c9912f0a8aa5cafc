import { startForgejoSim } from '../forgejo/start.ts';
import type { Flavour } from '../forgejo/traits.ts';
import { AUTHOR, BOT, type DemoForge, OWNER, REPO } from './forge.ts';

export type ForgejoForgeOptions = { readonly dataDir: string; readonly flavour: Flavour; readonly port?: number };

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
    addWebhook: (url, secret) => void sim.addWebhook({ repo: REPO, url, secret }),
    look: (number) => {
      const { head, comments, reviews, headStatuses, statuses } = sim.snapshot(REPO, number);
      const inline = reviews.flatMap((review) => review.inline);
      const statusText = statuses.findLast(({ sha }) => sha === head)?.description ?? '';
      return { head, comments: [...reviews, ...comments].map(({ body }) => body), inline, headStatuses, statusText };
    },
    until: (condition, timeoutMs) => sim.until(condition, timeoutMs),
    settled: () => sim.settled(),
    requests: sim.requests,
    violations: sim.violations,
    quickActions: sim.quickActions,
    close: () => sim.close(),
  };
};
