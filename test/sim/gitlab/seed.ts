import type { SimAccount } from './program-setup.ts';
import type { GitlabSim } from './start.ts';

export type Seeded = {
  readonly project: string;
  readonly iid: number;
  readonly accounts: readonly SimAccount[];
};

const before = `export const total = (items) => {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
};

export const format = (amount) => amount.toFixed(2);
`;

const after = `export const total = (items, discount) => {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum - eval(discount);
};

export const format = (amount) => '$' + amount.toFixed(2);
`;

export const seedGitlab = async (sim: GitlabSim): Promise<Seeded> => {
  const project = 'acme/web/shop';
  const owner = sim.createUser({ login: 'owner' });
  const author = sim.createUser({ login: 'author' });
  sim.createGroup('acme');
  sim.createGroup('acme/web');
  await sim.createProject(project);
  sim.addMember('acme', 'owner', 50);
  sim.addMember(project, 'author', 30);
  const bot = sim.createProjectAccessToken(project, { level: 30 });
  const files = { 'src/cart.js': before, 'README.md': '# Shop\n' };
  await sim.commitFiles({ project, branch: 'main', files, message: 'Start the shop\n', author: 'owner' });
  const changed = { 'src/cart.js': after };
  await sim.commitFiles({ project, branch: 'discounts', files: changed, message: 'Add discounts\n', author: 'author' });
  const description = 'Customers can now enter a **discount**.\n\n- [x] tried by hand\n- [ ] tests';
  const wish = { project, sourceBranch: 'discounts', title: 'Add discounts', description, author: 'author' };
  const mr = await sim.openMergeRequest(wish);
  return { project, iid: mr.iid, accounts: [owner, author, bot] };
};
