/** A local range reviewed by a model of a server with chat completions, which options alone name. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { review } from '../../../services/cli/api.ts';
import { agentWish } from '../../../services/cli/terminal/model-wish.ts';
import { createRepository, type Repository, temporaryFolder } from '../../shared/workspace/repository.ts';
import { type ChatSim, startChatSim } from '../../sim/chat/start.ts';
import { seededReviewer } from '../../sim/messages/seeded-reviewer.ts';
import { WITHOUT_CAGE } from './model-world.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 60_000;
const MODEL = 'claude-sonnet-5-5';
/** The name is the one that was typed, so that the option works. */
const UNPRICED = `the model ${MODEL} has no price, so its budget cannot be enforced; add one with --price ${MODEL}=`;

let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;
let sim: ChatSim;

beforeAll(async () => {
  sim = await startChatSim({ apiKeys: ['chat-wire-key-0123456789'] });
  sim.script(seededReviewer(7));
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'repository'));
  repository.write({ 'README.md': '# Shop\n' });
  repository.commit('base');
  repository.git('branch', 'base');
  repository.write({ 'src/close.js': 'export const close = () => 1; // DEFECT(P1: forgets to close the file)\n' });
  repository.commit('change');
});
afterAll(async () => {
  folder?.dispose();
  await sim?.close();
});

const args = (...more: readonly string[]): readonly string[] => [
  'review',
  '--repo',
  repository.workTree,
  '--base',
  'base',
  '--config',
  WITHOUT_CAGE,
  '--provider',
  'openai',
  '--base-url',
  sim.url,
  '--model',
  MODEL,
  ...more,
];

describe('fixpoint review --provider openai', () => {
  test(
    'reviews with the key of the named variable and the price that is given, verifiers included',
    async () => {
      const env = { HOUSE_KEY: sim.apiKey };
      const free = await runCli([...args('--key-env', 'HOUSE_KEY', '--price', `${MODEL}=0/0`, '--format', 'json')], {
        env,
      });
      expect(free.stderr).toContain('with agent');
      expect(JSON.parse(free.stdout)).toMatchObject({
        verdict: 'feedback',
        findings: [{ path: 'src/close.js', severity: 'P1' }],
        spent: { costUsd: 0 },
      });
      const [last] = sim.requests.slice(-1);
      expect(last?.request?.tools?.map(({ name }) => name)).toContain('submit_verification');
      const paid = await runCli([...args('--key-env', 'HOUSE_KEY', '--price', `${MODEL}=2/10`, '--format', 'json')], {
        env,
      });
      expect((JSON.parse(paid.stdout) as { spent: { costUsd: number } }).spent.costUsd).toBeGreaterThan(0);
    },
    RUN_MS,
  );

  test.each<[string, readonly string[], NodeJS.ProcessEnv, string]>([
    ['without a price', ['--key-env', 'HOUSE_KEY'], { HOUSE_KEY: 'k'.repeat(24) }, UNPRICED],
    ['without the key', ['--key-env', 'HOUSE_KEY'], {}, 'HOUSE_KEY is not set'],
    ['with the Claude Code CLI', ['--runner', 'claude-code', '--claude-code', '/opt/claude'], {}, '--provider openai'],
  ])(
    'is refused %s',
    async (_name, more, env, said) => {
      const { code, stderr } = await runCli(args(...more), { env });
      expect(code).toBe(2);
      expect(stderr).toContain(said);
    },
    RUN_MS,
  );

  test('is refused without an address or a model', async () => {
    const asked = { workspacePath: repository.workTree, base: 'base', provider: 'openai' as const };
    await expect(review({ ...asked, model: MODEL })).rejects.toThrow('needs --base-url');
    await expect(review({ ...asked, baseUrl: sim.url })).rejects.toThrow('needs --base-url');
  });
});

test(
  'the help says which key and which address --provider openai needs',
  async () => {
    const { stdout } = await runCli(['review', '--help']);
    const words = stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      '(default: ANTHROPIC_API_KEY; with --provider openai OPENAI_API_KEY, or none for a server on this machine)',
    );
    expect(words).toContain("(default: ANTHROPIC_BASE_URL, then the provider's; required with --provider openai)");
  },
  RUN_MS,
);

describe('the options of a model', () => {
  test.each([
    ['http://127.0.0.1:11434/v1', undefined, ''],
    ['http://[::1]:8080/v1', undefined, ''],
    ['http://localhost/v1', 'OWN_KEY', 'OWN_KEY'],
    ['HTTP://LocalHost:8080/v1', undefined, ''],
    ['http://127.1:8080/v1', undefined, ''],
    ['localhost', undefined, 'OPENAI_API_KEY'],
    ['http://localhost@models.example.com/v1', undefined, 'OPENAI_API_KEY'],
    ['https://models.example.com/v1', undefined, 'OPENAI_API_KEY'],
    ['https://127.0.0.1.example.com/v1', undefined, 'OPENAI_API_KEY'],
  ])('for %s and the variable %s read the key from "%s"', (baseUrl, keyEnv, expected) => {
    const wish = {
      provider: 'openai',
      baseUrl,
      keyEnv,
      model: 'qwen3',
      prices: [{ model: 'qwen3', inputUsd: 0, outputUsd: 0 }],
    } as const;
    expect(agentWish(wish)).toEqual({
      provider: [{ name: 'server', kind: 'openai', baseUrl, keyEnv: expected }],
      reviewer: { model: 'server/qwen3' },
      explorer: { model: 'server/qwen3' },
      price: [{ model: 'server/qwen3', inputUsd: 0, outputUsd: 0 }],
    });
  });
});
