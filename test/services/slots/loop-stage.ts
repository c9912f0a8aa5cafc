/** A real repository, and agents that are small programs which do what a test wrote down for them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLiveRunStateStore, type LiveRunState } from '../../../services/slots/live-state.ts';
import { resolvePrompts } from '../../../services/slots/task/prompts.ts';
import { openRepository } from '../../../services/slots/worktree/repository.ts';
import { type LoopResult, runLoop } from '../../../services/slots/run-loop.ts';
import { LoopSettingsPart, mergeSettings } from '../../../services/slots/settings/settings.ts';
import { sourceOfText, type TaskSource } from '../../../services/slots/task/task-source.ts';

/**
 * The script of an agent, called anew for each of its runs. Its text gets `prompt`, `run` (how many came before it in
 * this repository, by role), `say(text)`, `complain(text)` (on standard error), `write(path, text)`, `append(path, text)`,
 * `sh(command)`, `verdict(…)` and, for one that speaks messages, `answer(type, body)`.
 */
export type Agents = { readonly implementer?: string; readonly reviewer?: string; readonly fixer?: string };

const HARNESS = `
import { execSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
const [folder] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
const speaks = /^id: /.test(prompt);
const spoken = /-task"?\\n/.test(prompt) ? 'implementer' : prompt.includes('type: review_request') ? 'reviewer' : 'fixer';
const told = prompt.includes('## Your answer') ? 'reviewer' : prompt.startsWith('DEVELOP') ? 'implementer' : 'fixer';
const role = speaks ? spoken : told;
const run = readdirSync(folder).filter((name) => name.startsWith(role + '-')).length;
writeFileSync(folder + '/' + role + '-' + process.pid, prompt);
const say = (text) => console.log(text);
const complain = (text) => console.error(text);
const write = (path, text) => writeFileSync(path, text);
const append = (path, text) => appendFileSync(path, text);
const sh = (command) => execSync(command, { encoding: 'utf8' });
const answer = (type, body) =>
  say('id: "a-' + process.pid + '"\\nfrom: agent\\nto: fixpoint-loop\\ntype: ' + type +
    '\\npriority: P2\\ncreated_at_utc: "2030-01-31T12:00:00Z"\\nsubject: "an answer"\\nbody: ' + JSON.stringify(body));
const verdict = (verdict, followUpPrompt) => say(JSON.stringify({ verdict, followUpPrompt }));
await new Function('h', 'return (async () => { with (h) {' + readFileSync(folder + '/' + role + '.txt', 'utf8') + '} })()')({
  prompt, role, run, say, complain, write, append, sh, verdict, answer, existsSync, readFileSync, process,
});
`;

export type LoopStage = {
  readonly root: string;
  /** The command line of its agents. */
  readonly command: readonly string[];
  /** The prompts that agents of a role were given, in no order. */
  prompts(role: keyof Agents): readonly string[];
  git(...args: readonly string[]): string;
  run(agents: Agents, options?: RunOptions): Promise<LoopResult & { readonly states: readonly LiveRunState[] }>;
  dispose(): void;
};

export type RunOptions = {
  readonly settings?: LoopSettingsPart;
  readonly source?: TaskSource;
  readonly signal?: AbortSignal;
};

const DEFAULT_AGENTS: Required<Agents> = {
  implementer: "append('a.txt', 'more\\n'); say('done')",
  reviewer: "verdict('pass', 'fine')",
  fixer: "append('a.txt', 'fixed\\n')",
};

const git = (cwd: string, args: readonly string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

const createRepository = (root: string): void => {
  mkdirSync(root);
  git(root, ['init', '--quiet', '--initial-branch=main']);
  git(root, ['config', 'user.name', 'Loop']);
  git(root, ['config', 'user.email', 'loop@example.com']);
  writeFileSync(join(root, 'a.txt'), 'one\n');
  git(root, ['add', '.']);
  git(root, ['commit', '--quiet', '-m', 'begin']);
};

export const createLoopStage = (): LoopStage => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-loop-'));
  const root = join(folder, 'repository');
  const script = join(folder, 'agent.mjs');
  const said = join(folder, 'agents');
  createRepository(root);
  mkdirSync(said);
  let runs = 0;
  const command = [process.execPath, script, said];
  return {
    root,
    command,
    prompts: (role) =>
      readdirSync(said)
        .filter((name) => name.startsWith(`${role}-`))
        .map((name) => readFileSync(join(said, name), 'utf8')),
    git: (...args) => git(root, args),
    run: async (
      agents,
      { settings = {}, source = sourceOfText('Say more'), signal = new AbortController().signal } = {},
    ) => {
      // A module is strict code, in which there is no `with`; the scripts run as a function of their own.
      writeFileSync(script, HARNESS);
      for (const [role, text] of Object.entries({ ...DEFAULT_AGENTS, ...agents }))
        writeFileSync(join(said, `${role}.txt`), text);
      const part = LoopSettingsPart.parse({
        command: [process.execPath, script, said],
        reviewEnabled: true,
        ...settings,
      });
      const merged = mergeSettings([part]);
      if (!merged.ok) throw new Error(merged.problems.join());
      const repository = await openRepository(root, signal);
      const live = createLiveRunStateStore(merged.settings.iterations);
      const states: LiveRunState[] = [];
      live.subscribe(() => states.push(live.get()));
      const prompts = { ...(await resolvePrompts(root, merged.settings)), developer: 'DEVELOP' };
      runs += 1;
      const deps = {
        repository,
        settings: merged.settings,
        prompts,
        live,
        source,
        runId: `r${runs}`,
        env: process.env,
      };
      return { ...(await runLoop(deps, signal)), states };
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
};
