/** GitLab as operators have it: older, under a path, with tokens of projects, on a bad day. */
import { afterEach, describe, expect, it } from 'vitest';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { failureOf, signal, text } from './conformance-bench.ts';
import { type GitlabHall, type GitlabWorld, startGitlabHall } from './gitlab-world.ts';
import { manualClock } from './manual-clock.ts';
import { type Answer, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const halls: GitlabHall[] = [];
const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await Promise.all(halls.splice(0).map((hall) => hall.close()));
});

const openWorld = async (more: Parameters<typeof startGitlabHall>[0]): Promise<GitlabWorld> => {
  const hall = await startGitlabHall(more);
  halls.push(hall);
  return hall.open();
};

const reviewOf = (world: GitlabWorld) => ({
  head: world.head,
  base: world.base,
  targetHead: world.base,
  body: text('summary'),
  comments: [
    { position: world.positions.added, body: text('one') },
    { position: world.positions.range, body: text('two') },
  ],
});

describe('GitLab before 16', () => {
  it('gets one thread after the other', async () => {
    const world = await openWorld({ version: '15.11.13-ee' });
    await world.forge.write.submitReview(world.changeRequest, reviewOf(world), signal);
    const comments = await world.forge.read.fetchComments(world.changeRequest, signal);
    expect(comments.map(({ body, kind }) => [body, kind])).toEqual([
      ['one', 'inline'],
      ['two', 'inline'],
    ]);
    expect(world.sim.requests.filter(({ path }) => path.includes('draft_notes'))).toEqual([]);
    expect(await world.forge.write.clearLeftovers(world.changeRequest, () => true, signal)).toBe(0);
    expect(world.violations()).toEqual([]);
  });

  it('answers a text of nothing but commands with 400, which is no refused position and never sent again', async () => {
    const world = await openWorld({ version: '15.11.13-ee' });
    const { write } = world.forge;
    const commands = { ...reviewOf(world), comments: [{ position: world.positions.added, body: text('/ready') }] };
    const plain = await failureOf(write.createComment(world.changeRequest, text('/draft'), signal));
    const inline = await failureOf(write.submitReview(world.changeRequest, commands, signal));
    expect([plain.code, inline.code]).toEqual(['FORGE_COMMANDS_ONLY', 'FORGE_COMMANDS_ONLY']);
    const sent = world.sim.requests.filter(({ method, user }) => method === 'POST' && user === world.bot.login);
    expect(sent.map(({ status }) => status)).toEqual([400, 400]);
    expect(await world.forge.read.fetchComments(world.changeRequest, signal)).toEqual([]);
  });
});

describe('GitLab under a path', () => {
  it('is found there, project, comments and git alike', async () => {
    const world = await openWorld({ publicUrl: 'http://gitlab.example/git/lab' });
    await world.forge.write.submitReview(world.changeRequest, reviewOf(world), signal);
    const comments = await world.forge.read.fetchComments(world.changeRequest, signal);
    expect(comments.map(({ body }) => body)).toEqual(['one', 'two']);
    const { url } = await world.forge.read.locateGit(world.changeRequest, signal);
    expect(url).toBe(`http://127.0.0.1:${world.sim.port}/git/lab/${world.project}.git`);
    expect(await world.forge.read.findProject(world.project, signal)).toMatchObject({ path: world.project });
  });
});

describe('the bot of a project', () => {
  it('knows itself by the number of its account', async () => {
    const world = await openWorld({});
    const bot = world.sim.createProjectAccessToken(world.project, { level: 30 });
    const options = { id: ForgeId.parse('lab'), kind: 'gitlab', baseUrl: world.sim.url, token: bot.token } as const;
    const forge = await connectForge({ ...options, clock: manualClock() }, signal);
    expect(await forge.read.fetchSelf(signal)).toEqual({ id: bot.id, login: bot.login });
    await forge.write.submitReview(world.changeRequest, reviewOf(world), signal);
    const comments = await forge.read.fetchComments(world.changeRequest, signal);
    expect(new Set(comments.map(({ author }) => author?.id))).toEqual(new Set([bot.id]));
  });
});

describe('a limited GitLab', () => {
  it('stops a paced review with the delay it names, and the next attempt adds what is missing', async () => {
    const world = await openWorld({ version: '15.11.13-ee' });
    const limited = { kind: 'status', status: 429, headers: { 'retry-after': '60' } } as const;
    world.sim.fault({ method: 'POST', path: /discussions$/, body: /"two"/ }, limited);
    const outgoing = reviewOf(world);
    const error = await failureOf(world.forge.write.submitReview(world.changeRequest, outgoing, signal));
    expect([error.code, error.disposition]).toEqual(['FORGE_RATE_LIMITED', { kind: 'retry_after', delayMs: 60_000 }]);
    const missing = { ...outgoing, comments: outgoing.comments.slice(1) };
    await world.forge.write.submitReview(world.changeRequest, missing, signal);
    const comments = await world.forge.read.fetchComments(world.changeRequest, signal);
    expect(comments.map(({ body }) => body)).toEqual(['one', 'two']);
  });
});

describe('connecting to a GitLab', () => {
  const json = (status: number, body: unknown): Answer => ({ kind: 'json', status, body });
  const connect = async (answers: Readonly<Record<string, Answer>>) => {
    const server = await startScriptedServer(({ url }) => answers[url] ?? json(404, { message: '404 Not Found' }));
    servers.push(server);
    const told: unknown[] = [];
    const token = ['tok', 'en'].join('');
    const options = { id: ForgeId.parse('lab'), kind: 'gitlab', baseUrl: server.url, token } as const;
    const onTraits = (traits: unknown): void => void told.push(traits);
    return { told, connected: connectForge({ ...options, clock: manualClock(), onTraits }, signal) };
  };

  it.each([
    ['/api/v4/metadata', '18.9.0-ee', true],
    ['/api/v4/version', '14.0.1', false],
  ])('asks %s for the version', async (path, version, draftNotes) => {
    const { told, connected } = await connect({ [path]: json(200, { version }) });
    await connected;
    expect(told).toEqual([{ draftNotes, resetsApprovals: true, version }]);
  });

  it('expects no push to take approvals away from a Community Edition', async () => {
    const { told, connected } = await connect({
      '/api/v4/metadata': json(200, { version: '18.9.0', enterprise: false }),
    });
    await connected;
    expect(told).toEqual([{ draftNotes: true, resetsApprovals: false, version: '18.9.0' }]);
  });

  it('expects the least of an installation that does not tell', async () => {
    const { told, connected } = await connect({});
    await connected;
    expect(told).toEqual([{ draftNotes: false, resetsApprovals: true, version: null }]);
  });

  it('fails with a token that is not accepted', async () => {
    const { connected } = await connect({ '/api/v4/metadata': json(401, { message: '401 Unauthorized' }) });
    expect((await failureOf(connected)).code).toBe('FORGE_UNAUTHORISED');
  });
});
