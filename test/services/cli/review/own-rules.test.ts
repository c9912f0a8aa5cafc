/** `fixpoint review` and `fixpoint ci` use the rules of the commit that the change is merged into. */
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reviewCheckout } from '../../../../services/cli/ci/review-checkout.ts';
import { reviewLocal } from '../../../../services/cli/review/review-local.ts';
import {
  createRepository,
  GIT,
  never,
  type Repository,
  temporaryFolder,
} from '../../../shared/workspace/repository.ts';

const RULE = [
  'id: no-fetch',
  'language: JavaScript',
  'severity: error',
  'message: Use the client',
  'rule: { pattern: fetch($URL) }',
  'invalid: ["fetch(a)"]',
].join('\n');

let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;
let head: string;
beforeAll(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'shop'));
  repository.write({ '.fixpoint/rules/a.yml': RULE });
  repository.commit('the base');
  repository.git('branch', 'base');
  repository.write({ '.fixpoint/rules/a.yml': null, 'src/page.js': 'export const page = fetch(address);\n' });
  head = repository.commit('the change');
});
afterAll(() => folder.dispose());

const env = { PATH: dirname(GIT) };

it('in a clone', async () => {
  const output = await reviewLocal({
    directory: repository.workTree,
    base: 'base',
    head: 'HEAD',
    reviewer: { kind: 'rules' },
    searchPath: dirname(GIT),
    cage: { configPath: undefined, env, onNotice: () => {} },
    onProgress: () => {},
    signal: never(),
  });
  expect(output).toMatchObject({ verdict: 'feedback', findings: [{ rule: 'project/no-fetch', path: 'src/page.js' }] });
});

it('in the checkout of a CI job', async () => {
  const base = repository.git('rev-parse', 'base').trim();
  const output = await reviewCheckout(
    { directory: repository.workTree, base, head },
    { env, signal: never(), say: () => {} },
  );
  expect(output).toMatchObject({ verdict: 'feedback', findings: [{ rule: 'project/no-fetch', path: 'src/page.js' }] });
});
