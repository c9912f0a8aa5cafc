/** Answers in which the simulator once differed from a real Forgejo 16 and Gitea 1.27, one test per difference. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Flavour } from '../sim/forgejo/traits.ts';
import { payloadOf, type Receiver, startReceiver } from './receiver.ts';
import { openScene, repo, type Scene } from './support.ts';

const at = { repo, number: 1 };
const project = `/repos/${repo}`;
const Id = z.object({ id: z.number() });
const Review = z.looseObject({
  id: z.number(),
  state: z.string(),
  stale: z.boolean(),
  commit_id: z.string(),
  html_url: z.string(),
});
const NOTHING = '';

let scene: Scene;
let receiver: Receiver;

const open = (flavour: Flavour): void => {
  beforeEach(async () => {
    scene = await openScene({ flavour });
    receiver = await startReceiver();
    const events = ['push', 'pull_request', 'pull_request_comment', 'pull_request_review'];
    scene.sim.addWebhook({ repo, url: receiver.url, events });
  });
  afterEach(async () => {
    await scene.end('expected');
    await receiver.close();
  });
};

/** Event and action of each delivery since the last call. */
const told = async (): Promise<readonly string[]> => {
  await scene.sim.settled();
  return receiver.received.map((each) => [each.headers['x-gitea-event-type'], payloadOf(each)['action']].join(' '));
};

const inline = async (place: Record<string, number> = { new_position: 4 }): Promise<number> => {
  const comments = [{ path: 'a.txt', body: 'look', ...place }];
  const wish = { event: 'COMMENT', body: 'words', comments };
  const { id } = Id.parse((await scene.api(scene.bot, 'POST', `${project}/pulls/1/reviews`, wish)).json);
  const said = (await scene.api(scene.bot, 'GET', `${project}/pulls/1/reviews/${id}/comments`)).json;
  return z.array(Id).parse(said)[0]?.id ?? 0;
};

const reviews = async (): Promise<readonly z.output<typeof Review>[]> =>
  z.array(Review).parse((await scene.api(scene.bot, 'GET', `${project}/pulls/1/reviews`)).json);

const push = (content: string): Promise<string> =>
  scene.sim.commitFiles({ repo, branch: 'feature', files: { 'a.txt': content }, message: 'more', author: 'author' });

const both: readonly Flavour[] = ['forgejo-16', 'gitea-1.27'];

describe.each(both)('as on the real ones, %s', (flavour) => {
  open(flavour);

  it('a pull request whose target branch is deleted is closed on Forgejo alone', async () => {
    await scene.sim.moveBranch({ repo, branch: 'main', to: null, as: 'acme' });
    const isClosed = flavour === 'forgejo-16';
    expect(scene.sim.pullAt(at).state).toBe(isClosed ? 'closed' : 'open');
    expect((await told()).includes('pull_request closed')).toBe(isClosed);
    const { json } = await scene.api(scene.bot, 'GET', `${project}/pulls/1`);
    expect(z.object({ state: z.string(), base: z.object({ ref: z.string() }) }).parse(json)).toEqual({
      state: isClosed ? 'closed' : 'open',
      base: { ref: 'main' },
    });
  });

  it('lets a writer edit and delete what others wrote, and tells the hooks', async () => {
    const id = scene.sim.comment({ ...at, as: 'author', body: 'mine' });
    const path = `${project}/issues/comments/${id}`;
    expect((await scene.api(scene.bot, 'PATCH', path, { body: 'yours' })).status).toBe(200);
    expect((await scene.api(scene.bot, 'DELETE', path)).status).toBe(204);
    expect(await told()).toEqual([
      'pull_request_comment created',
      'pull_request_comment edited',
      'pull_request_comment deleted',
    ]);
  });

  it('refuses a stranger without a body', async () => {
    scene.sim.addCollaborator(repo, 'outsider', 'read');
    const id = scene.sim.comment({ ...at, as: 'author', body: 'mine' });
    const answer = await scene.api(scene.outsider, 'PATCH', `${project}/issues/comments/${id}`, { body: 'x' });
    expect({ ...answer, type: answer.headers.get('content-type') }).toMatchObject({
      status: 403,
      json: NOTHING,
      type: null,
    });
  });

  it('tells the hooks of an inline comment that was deleted', async () => {
    const id = await inline();
    const before = (await told()).length;
    const review = (await reviews())[0]?.id ?? 0;
    const path =
      flavour === 'forgejo-16'
        ? `${project}/pulls/1/reviews/${review}/comments/${id}`
        : `${project}/issues/comments/${id}`;
    expect((await scene.api(scene.bot, 'DELETE', path)).status).toBe(204);
    expect((await told()).slice(before)).toEqual(['pull_request_comment deleted']);
  });

  it('dismisses decisions only, and none of a closed pull request', async () => {
    await inline();
    const dismissals = (id: number) =>
      scene.api(scene.owner, 'POST', `${project}/pulls/1/reviews/${id}/dismissals`, { message: 'x' });
    expect((await dismissals((await reviews())[0]?.id ?? 0)).status).toBe(403);
    const approval = await scene.sim.review({ ...at, as: 'fixpoint', event: 'APPROVED' });
    scene.sim.setState({ ...at, as: 'author' }, 'closed');
    expect((await dismissals(approval)).status).toBe(403);
    scene.sim.setState({ ...at, as: 'author' }, 'open');
    expect((await dismissals(approval)).status).toBe(200);
  });

  it('calls comments and requests stale after a push that changes the diff, those of the new head not', async () => {
    await inline();
    scene.sim.askReview({ ...at, as: 'author', reviewer: 'acme' });
    expect((await reviews()).map(({ stale }) => stale)).toEqual([false, false]);
    await push('other\n');
    await inline({ new_position: 1 });
    expect((await reviews()).map(({ state, stale }) => `${state} ${stale}`).toSorted()).toEqual([
      'COMMENT false',
      'COMMENT true',
      'REQUEST_REVIEW true',
    ]);
  });

  it('names no commit for a request for review', async () => {
    scene.sim.askReview({ ...at, as: 'author', reviewer: 'acme' });
    expect((await reviews())[0]).toMatchObject({ state: 'REQUEST_REVIEW', commit_id: '' });
  });

  it('gives a pending review an address', async () => {
    const wish = { event: 'PENDING', body: 'not yet', comments: [] };
    await scene.api(scene.bot, 'POST', `${project}/pulls/1/reviews`, wish);
    expect((await reviews())[0]?.html_url).toContain('#issuecomment-');
  });

  it('takes a state that is none', async () => {
    const { headSha } = scene.sim.pullAt(at);
    const path = `${project}/statuses/${headSha}`;
    const states = ['skipped', 'nonsense'];
    const answers = [];
    for (const state of states) answers.push(await scene.api(scene.bot, 'POST', path, { state, context: state }));
    expect(
      answers.map(({ status, json }) => [status, z.looseObject({ status: z.string() }).parse(json).status]),
    ).toEqual(states.map((state) => [201, state]));
  });

  it('has no Link header past the end', async () => {
    const page = (number: number) => scene.api(scene.bot, 'GET', `${project}/pulls/1/reviews?page=${number}&limit=1`);
    await inline();
    await inline();
    expect((await page(2)).headers.get('link')).toContain('rel="prev"');
    expect((await page(3)).headers.get('link')).toBeNull();
  });

  it('keeps the header of the whole hunk where the excerpt begins with it', async () => {
    await inline({ old_position: 3 });
    const path = `${project}/pulls/1/reviews/${(await reviews())[0]?.id ?? 0}/comments`;
    const [comment] = z
      .array(z.looseObject({ diff_hunk: z.string() }))
      .parse((await scene.api(scene.bot, 'GET', path)).json);
    expect(comment?.diff_hunk.split('\n')[0]).toBe('@@ -1,6 +1,7 @@');
  });

  it('knows a new branch only after a while', async () => {
    await scene.sim.createRepo('acme', 'fresh');
    scene.sim.setBranchLag(2_000);
    const wish = { repo: 'acme/fresh', branch: 'main', files: { a: '1\n' }, message: 'a', author: 'acme' };
    await scene.sim.commitFiles(wish);
    await scene.sim.commitFiles({ ...wish, branch: 'work', files: { a: '2\n' } });
    const open = () => scene.sim.openPullRequest({ repo: 'acme/fresh', head: 'work', title: 'w', author: 'acme' });
    const branches = async () => (await scene.api(scene.owner, 'GET', '/repos/acme/fresh/branches')).json;
    expect(await branches()).toBeNull();
    await expect(open()).rejects.toThrow("The target couldn't be found.");
    scene.advance(2_000);
    expect(await branches()).toHaveLength(2);
    expect((await open()).number).toBe(1);
  });

  it('has no statuses for a text that names no commit', async () => {
    const answer = await scene.api(scene.bot, 'GET', `${project}/statuses/${'d'.repeat(40)}`);
    expect([answer.status, answer.json]).toEqual([200, []]);
  });

  it('takes a request for review by somebody without the right as one that is not valid', async () => {
    scene.sim.addCollaborator(repo, 'outsider', 'read');
    const wish = { reviewers: ['acme'] };
    const path = `${project}/pulls/1/requested_reviewers`;
    expect((await scene.api(scene.outsider, 'POST', path, wish)).status).toBe(422);
    expect((await scene.api(scene.outsider, 'DELETE', path, wish)).status).toBe(422);
  });

  it('refuses an edit of the pull request without a body, and names a target branch that is not there', async () => {
    scene.sim.addCollaborator(repo, 'outsider', 'read');
    const refused = await scene.api(scene.outsider, 'PATCH', `${project}/pulls/1`, { title: 'mine' });
    expect([refused.status, refused.json, refused.headers.get('content-type')]).toEqual([403, NOTHING, null]);
    const lost = await scene.api(scene.owner, 'PATCH', `${project}/pulls/1`, { base: 'no-such' });
    expect([lost.status, lost.json]).toMatchObject([404, { message: "new base 'no-such' not exist" }]);
  });

  it('merges neither what is merged nor what is closed', async () => {
    const merge = () => scene.api(scene.owner, 'POST', `${project}/pulls/1/merge`, { Do: 'merge' });
    scene.sim.setState({ ...at, as: 'author' }, 'closed');
    expect((await merge()).status).toBe(404);
    scene.sim.setState({ ...at, as: 'author' }, 'open');
    expect((await merge()).status).toBe(200);
    expect((await merge()).status).toBe(405);
  });

  it('says in plain text that it has no such path', async () => {
    const answer = await scene.api(scene.bot, 'GET', '/nothing/here');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  });

  it('resets the events of a hook that is patched without them', async () => {
    const Hook = z.looseObject({ id: z.number(), events: z.array(z.string()) });
    const hooks = z.array(Hook).parse((await scene.api(scene.owner, 'GET', `${project}/hooks`)).json);
    const path = `${project}/hooks/${hooks[0]?.id}`;
    const patched = Hook.parse((await scene.api(scene.owner, 'PATCH', path, { active: true })).json);
    expect(patched.events).toEqual(['push']);
  });
});

describe('as on the real ones, Forgejo alone', () => {
  open('forgejo-16');

  it('F-R9: answers a second equal reaction with 500 and a page', async () => {
    const path = `${project}/issues/comments/${scene.sim.comment({ ...at, as: 'author', body: 'x' })}/reactions`;
    const answers = [];
    for (const content of ['eyes', 'eyes', '+1', 'thumbsup'])
      answers.push(await scene.api(scene.bot, 'POST', path, { content }));
    expect(answers.map(({ status }) => status)).toEqual([201, 500, 201, 403]);
    expect(answers[1]?.headers.get('content-type')).toContain('text/html');
  });

  it('has no statuses for a commit that it does not know', async () => {
    const answer = await scene.api(scene.bot, 'GET', `${project}/commits/${'d'.repeat(40)}/statuses`);
    expect([answer.status, answer.json]).toEqual([200, []]);
  });

  it('answers the zero value where a commit has no combined status', async () => {
    const answer = await scene.api(scene.bot, 'GET', `${project}/commits/${'d'.repeat(40)}/status`);
    expect([answer.status, answer.json]).toMatchObject([200, { state: '', sha: '', total_count: 0, statuses: null }]);
  });

  it('says 405 and nothing else to the routes of Gitea', async () => {
    const id = await inline();
    for (const path of [`comments/${id}/resolve`, `1/comments/${id}/replies`]) {
      const answer = await scene.api(scene.bot, 'POST', `${project}/pulls/${path}`, {});
      expect([answer.status, answer.json, answer.headers.get('content-type')]).toEqual([405, NOTHING, null]);
    }
  });

  it('shows address and content type of a hook at the top', async () => {
    const hooks = (await scene.api(scene.owner, 'GET', `${project}/hooks`)).json;
    expect(hooks).toMatchObject([{ url: receiver.url, content_type: 'json', metadata: null }]);
  });
});

describe('as on the real ones, Gitea alone', () => {
  open('gitea-1.27');

  it('answers a second equal reaction with 200', async () => {
    const path = `${project}/issues/comments/${scene.sim.comment({ ...at, as: 'author', body: 'x' })}/reactions`;
    const answers = [];
    for (const content of ['eyes', 'eyes']) answers.push(await scene.api(scene.bot, 'POST', path, { content }));
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
  });

  it('fails on a status for a commit that it does not know', async () => {
    const path = `${project}/statuses/${'d'.repeat(40)}`;
    const answer = await scene.api(scene.bot, 'POST', path, { state: 'success', context: 'x' });
    expect([answer.status, answer.json]).toMatchObject([500, { message: '' }]);
    for (const list of ['status', 'statuses'])
      expect((await scene.api(scene.bot, 'GET', `${project}/commits/${'d'.repeat(40)}/${list}`)).status).toBe(404);
  });

  it('says 405 and nothing else to the routes of Forgejo', async () => {
    const id = await inline();
    const review = (await reviews())[0]?.id ?? 0;
    const answer = await scene.api(scene.bot, 'DELETE', `${project}/pulls/1/reviews/${review}/comments/${id}`);
    expect([answer.status, answer.json, answer.headers.get('content-type')]).toEqual([405, NOTHING, null]);
  });

  it('resolves and answers inline comments alone', async () => {
    const id = scene.sim.comment({ ...at, as: 'author', body: 'plain' });
    for (const path of [`comments/${id}/resolve`, `1/comments/${id}/replies`])
      expect((await scene.api(scene.bot, 'POST', `${project}/pulls/${path}`, { body: 'x' })).status).toBe(400);
    expect((await scene.api(scene.bot, 'POST', `${project}/pulls/comments/99999/resolve`)).status).toBe(404);
  });

  it('tells the hooks of an answer in a thread', async () => {
    const id = await inline();
    const before = (await told()).length;
    const path = `${project}/pulls/1/comments/${id}/replies`;
    expect((await scene.api(scene.bot, 'POST', path, { body: 'answer' })).status).toBe(201);
    expect((await told()).slice(before)).toEqual(['pull_request_comment created']);
  });

  it('lists pull requests with nulls where a single answer has empty lists', async () => {
    const [listed] = z
      .array(z.record(z.string(), z.unknown()))
      .parse((await scene.api(scene.bot, 'GET', `${project}/pulls`)).json);
    expect(listed).toMatchObject({ requested_reviewers: null, requested_reviewers_teams: null, assignees: [] });
    expect(listed).not.toHaveProperty('review_comments');
    expect((await scene.api(scene.bot, 'GET', `${project}/pulls/1`)).json).toMatchObject({ requested_reviewers: [] });
  });

  it('shows the file where the diff does not hold the line', async () => {
    await inline({ new_position: 8 });
    const path = `${project}/pulls/1/reviews/${(await reviews())[0]?.id ?? 0}/comments`;
    const [comment] = z
      .array(z.looseObject({ diff_hunk: z.string() }))
      .parse((await scene.api(scene.bot, 'GET', path)).json);
    expect(comment?.diff_hunk).toMatch(/^@@ -/);
  });

  it('gives hooks a name, and deliveries the kind of their place', async () => {
    expect((await scene.api(scene.owner, 'GET', `${project}/hooks`)).json).toMatchObject([{ name: '' }]);
    await push('other\n');
    await scene.sim.settled();
    expect(receiver.received[0]?.headers).toMatchObject({
      'x-gitea-hook-installation-target-type': 'repository',
      'x-github-hook-installation-target-type': 'repository',
    });
  });
});
