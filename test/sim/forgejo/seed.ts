import type { SimAccount } from './program-setup.ts';
import type { ForgejoSim } from './start.ts';

export type Seeded = {
  readonly repo: string;
  readonly number: number;
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

export const seedForgejo = async (sim: ForgejoSim): Promise<Seeded> => {
  const repo = 'acme/shop';
  const owner = sim.createUser({ login: 'acme' });
  const author = sim.createUser({ login: 'author' });
  const bot = sim.createUser({ login: 'fixpoint' });
  await sim.createRepo('acme', 'shop');
  for (const login of ['author', 'fixpoint']) sim.addCollaborator(repo, login, 'write');
  const readme = '# Shop\n';
  await sim.commitFiles({
    repo,
    branch: 'main',
    files: { 'src/cart.js': before, 'README.md': readme },
    message: 'Start the shop\n',
    author: 'acme',
  });
  await sim.commitFiles({
    repo,
    branch: 'discounts',
    files: { 'src/cart.js': after },
    message: 'Add discounts\n',
    author: 'author',
  });
  const body = 'Customers can now enter a **discount**.\n\n- [x] tried by hand\n- [ ] tests';
  const pull = await sim.openPullRequest({ repo, head: 'discounts', title: 'Add discounts', body, author: 'author' });
  return { repo, number: pull.number, accounts: [owner, author, bot] };
};
