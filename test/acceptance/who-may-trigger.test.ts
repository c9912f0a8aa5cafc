/**
 * Row I9: what each kind of account can set off by each kind of deed. The webhook that the forge sends for the deed is
 * parsed, the facts are read from the forge under the bot's token, and the decision is taken.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchFacts } from '../../services/guard/facts.ts';
import { connectForge } from '../../shared/forge/connect.ts';
import type { Forge } from '../../shared/forge/port.ts';
import { decide } from '../../shared/rounds/decide.ts';
import type { InboxEvent } from '../../shared/rounds/events.ts';
import { emptyState } from '../../shared/rounds/state.ts';
import { ForgeId } from '../../shared/rounds/vocabulary.ts';
import { parseForgejo } from '../../shared/webhooks/parse-forgejo.ts';
import { NOW, policy, runId, SECRET } from '../shared/rounds/builders.ts';
import { type ForgejoSim, startForgejoSim } from '../sim/forgejo/start.ts';
import type { AccessLevel, Delivery } from '../sim/forgejo/world.ts';

const OWNER = 'team';
const REPO = `${OWNER}/shop`;
const BOT = 'fixpoint';

/** What an account may do by itself; the owner owns. `leaves`: it is deleted before guard looks. */
const ACTORS: Readonly<Record<string, { readonly level: AccessLevel | null; readonly leaves?: boolean }>> = {
  owner: { level: null },
  dev: { level: 'write' },
  reporter: { level: 'read' },
  outsider: { level: null },
  'our bot': { level: 'write' },
  'other bot': { level: 'read' },
  'deleted user': { level: 'write', leaves: true },
};

const DEEDS = ['opens', 'pushes', 'says "@bot review"', 'says "@bot fix"', 'edits the title'] as const;
type Deed = (typeof DEEDS)[number];

/**
 * Whether the head is wanted afterwards. Opening and pushing ask for nothing that costs the project more than a review,
 * and filters by author are the operator's; calling takes the right to write; a new title is never a reason.
 */
const POLICY: Readonly<Record<string, Readonly<Record<Deed, boolean>>>> = {
  owner: row(true, true, true),
  dev: row(true, true, true),
  reporter: row(true, true, false),
  outsider: row(true, true, false),
  'our bot': row(false, false, false),
  'other bot': row(true, true, false),
  'deleted user': row(true, true, false),
};

/** There is no other command than "review" yet: whoever may call is heard, whatever the word behind the name is. */
function row(opens: boolean, pushes: boolean, calls: boolean): Readonly<Record<Deed, boolean>> {
  return {
    opens,
    pushes,
    'says "@bot review"': calls,
    'says "@bot fix"': calls,
    'edits the title': false,
  };
}

let folder: string;
let sim: ForgejoSim;
let forge: Forge;
let botId: number;
let projectId: number;
const forks = new Map<string, string>();
let cases = 0;

const newAccount = async (login: string, level: AccessLevel | null): Promise<void> => {
  sim.createUser({ login });
  if (level !== null) sim.addCollaborator(REPO, login, level);
  forks.set(login, `${(await sim.forkRepo(REPO, login)).owner.login}/shop`);
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-who-'));
  sim = await startForgejoSim({ dataDir: folder });
  sim.createUser({ login: OWNER });
  const bot = sim.createUser({ login: BOT });
  botId = bot.id;
  projectId = (await sim.createRepo(OWNER, 'shop')).id;
  sim.addCollaborator(REPO, BOT, 'write');
  await sim.commitFiles({
    repo: REPO,
    branch: 'main',
    files: { 'a.js': 'one();\n' },
    message: 'Begin\n',
    author: OWNER,
  });
  sim.addWebhook({ repo: REPO, url: 'http://127.0.0.1:9/never-sent' });
  sim.setDeliveryFilter(() => 'drop');
  const timeouts = { connectMs: 5_000, totalMs: 10_000 };
  const settings = { id: ForgeId.parse('sim'), kind: 'forgejo', baseUrl: sim.url, token: bot.token, timeouts } as const;
  forge = await connectForge(settings, AbortSignal.timeout(20_000));
}, 60_000);

afterAll(async () => {
  await sim?.close();
  await rm(folder, { recursive: true, force: true });
});

type Case = { readonly login: string; readonly branch: string };

/** The account of this case; a new one where it does not survive the case. */
const accountFor = async (actor: string): Promise<Case> => {
  cases += 1;
  const branch = `case-${cases}`;
  if (actor === 'owner') return { login: OWNER, branch };
  if (actor === 'our bot') return { login: BOT, branch };
  const { level = null, leaves = false } = ACTORS[actor] ?? {};
  const login = leaves ? `leaver-${cases}` : actor.replaceAll(' ', '-');
  if (!forks.has(login)) await newAccount(login, level);
  return { login, branch };
};

const sourceOf = ({ login }: Case): string => forks.get(login) ?? REPO;

const push = async (of: Case, name: string): Promise<void> => {
  const files = { [`${name}.js`]: 'two();\n' };
  await sim.commitFiles({ repo: sourceOf(of), branch: of.branch, files, message: `${name}\n`, author: of.login });
};

/** Does the deed on a change request of the account's own and gives its number. */
const carryOut = async (of: Case, deed: Deed): Promise<number> => {
  await push(of, 'first');
  const headRepo = sourceOf(of);
  const wish = { repo: REPO, head: of.branch, title: `Change ${of.branch}`, author: of.login };
  const { number } = await sim.openPullRequest(headRepo === REPO ? wish : { ...wish, headRepo });
  if (deed === 'pushes') await push(of, 'second');
  if (deed === 'says "@bot review"') sim.comment({ repo: REPO, number, as: of.login, body: `@${BOT} review` });
  if (deed === 'says "@bot fix"') sim.comment({ repo: REPO, number, as: of.login, body: `@${BOT} fix` });
  if (deed === 'edits the title') await sim.editPullRequest({ repo: REPO, number, as: of.login, title: 'Renamed' });
  return number;
};

const asEvent = ({ headers, body }: Delivery): InboxEvent => {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const parsed = parseForgejo(lower, JSON.parse(body));
  if (parsed.kind !== 'event') throw new Error(`the hook of the deed means nothing: ${parsed.reason}`);
  const { kind, head, noteId, actorId, requestedReviewerId } = parsed.event;
  return { source: 'forge', id: 'deed', atMs: NOW, kind, head, noteId, actorId, requestedReviewerId };
};

/** As guard does it, from the event in its inbox to the decision. */
const attend = async (number: number, event: InboxEvent) => {
  const signal = AbortSignal.timeout(20_000);
  const known = { read: forge.read, botIds: new Set([botId]), mention: BOT };
  const of = { forge: ForgeId.parse('sim'), projectId, number };
  const facts = await fetchFacts({ forge: known, of, events: [event], markerSecrets: [SECRET], signal });
  const input = { facts, events: [event], state: emptyState(), policy: policy(), nowMs: NOW, freshRunId: runId('who') };
  return { requests: facts.requests, ...decide(input) };
};

const isWanted = async (number: number, event: InboxEvent): Promise<boolean> =>
  (await attend(number, event)).state.wanted !== null;

const lastEvent = (): InboxEvent => {
  const last = sim.deliveries.at(-1);
  if (last === undefined) throw new Error('the deed fired no hook');
  return asEvent(last);
};

const CASES = Object.keys(ACTORS).flatMap((actor) => DEEDS.map((deed) => ({ actor, deed })));

describe.sequential('I9: who may trigger', () => {
  test.each(CASES)('I9: when the $actor $deed', async ({ actor, deed }) => {
    const of = await accountFor(actor);
    const number = await carryOut(of, deed);
    const event = lastEvent();
    if (ACTORS[actor]?.leaves === true) sim.removeUser(of.login);
    expect(await isWanted(number, event)).toBe(POLICY[actor]?.[deed]);
  });

  test('I9: holds for all 35 pairs of account and deed', () => {
    expect(CASES).toHaveLength(35);
    expect(sim.violations).toEqual([]);
  });
});

describe.sequential('a call', () => {
  test('T5: in the answer below an inline comment of the bot is heard as any other', async () => {
    const of = await accountFor('owner');
    const number = await carryOut(of, 'opens');
    const comments = [{ path: 'first.js', line: 1, body: 'a finding' }];
    await sim.review({ repo: REPO, number, as: BOT, event: 'COMMENT', comments });
    const said = sim.pullAt({ repo: REPO, number }).comments.find(({ body }) => body === 'a finding');
    await sim.replyInline({ repo: REPO, number, as: OWNER, to: said?.id ?? 0, body: `@${BOT} review` });
    expect(await isWanted(number, lastEvent())).toBe(true);
  });

  test('S5: changes no setting, whatever stands behind it', async () => {
    const of = await accountFor('owner');
    const number = await carryOut(of, 'opens');
    const outcomes = [];
    for (const more of ['', ' --model x --base_url http://evil.example --max_rounds 99 __openai__key=1']) {
      const noteId = sim.comment({ repo: REPO, number, as: OWNER, body: `@${BOT} review${more}` });
      const { requests, state, steps } = await attend(number, lastEvent());
      expect(requests).toEqual([{ noteId, command: 'review', allowed: true }]);
      outcomes.push({ wanted: state.wanted, steps: steps.map(({ command, reason }) => ({ command, reason })) });
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
  });
});
