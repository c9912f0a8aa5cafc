/** GL lib/api/merge_request_approvals.rb, app/services/merge_requests/*.rb; forges.md 2.4, 3.6. */
import { describe, expect, it } from 'vitest';
import { mrPath, openScene, project, rowOf, rowsOf, useScene } from './gitlab-support.ts';

const current = useScene();
const at = { project, iid: 1 };
const head = () => current().sim.mergeRequestAt(at).headSha;
const actions = () =>
  current()
    .sim.deliveries.map((delivery) => JSON.parse(delivery.body).object_attributes)
    .map((one) => [one.action, one.system]);

describe('an approval', () => {
  const approve = (body: Record<string, unknown> = { sha: head() }, who = current().bot) =>
    current().api(who, 'POST', `${mrPath}/approve`, body);

  it('is given for the head', async () => {
    expect(rowOf(await approve())).toMatchObject({
      user_has_approved: true,
      approved_by: [{ user: { username: current().bot.login } }],
    });
  });

  it('of another head is a 409', async () => {
    const answer = await approve({ sha: 'f'.repeat(40) });
    expect([answer.status, answer.json]).toEqual([
      409,
      { message: `SHA does not match HEAD of source branch: ${head()}` },
    ]);
  });

  it('given twice, or of what is merged, is a 401 that says nothing about the token', async () => {
    const { api, bot, sim } = current();
    await approve();
    const again = await approve();
    expect([again.status, again.json]).toEqual([401, { message: '401 Unauthorized' }]);
    await sim.mergeMergeRequest({ ...at, as: 'owner' });
    expect((await approve({}, current().owner)).status).toBe(401);
    expect((await api(bot, 'GET', '/user')).status).toBe(200);
  });

  it('is refused with 403 to whoever may not', async () => {
    const { sim, outsider } = current();
    sim.addMember(project, 'outsider', 20);
    expect((await approve({}, outsider)).status).toBe(403);
  });

  it('of the author is a 401 in EE unless the project allows it, and counts in CE', async () => {
    const { sim, author } = current();
    expect((await approve({}, author)).status).toBe(401);
    sim.world.projects.forEach((one) => {
      one.authorMayApprove = true;
    });
    expect((await approve({}, author)).status).toBe(201);
    const ce = await openScene({ edition: 'ce' });
    expect((await ce.api(ce.author, 'POST', `${mrPath}/approve`, {})).status).toBe(201);
    await ce.end();
  });

  it('can be taken back once, then there is nothing to remove', async () => {
    const { api, bot } = current();
    await approve();
    const take = () => api(bot, 'POST', `${mrPath}/unapprove`);
    expect([(await take()).status, (await take()).status]).toEqual([201, 404]);
  });

  it('publishes drafts first when asked to', async () => {
    const { api, bot, sim } = current();
    await api(bot, 'POST', `${mrPath}/draft_notes`, { note: 'x' });
    expect((await approve({ sha: head(), publish_review: true })).status).toBe(201);
    expect(sim.snapshot(project, 1)).toMatchObject({ drafts: [], threads: [{ notes: [{ body: 'x' }] }] });
  });

  it('is lost ten seconds after a push in EE, told by a system event in the name of the pusher; in CE it stays', async () => {
    const { sim, bot, api, advance } = current();
    await approve();
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['merge_requests_events'] });
    const push = { project, branch: 'feature', files: { b: 'b' }, message: 'b', author: 'author' };
    await sim.commitFiles(push);
    const status = async () => rowOf(await api(bot, 'GET', mrPath))['detailed_merge_status'];
    advance(9_999);
    expect([await status(), sim.snapshot(project, 1).approvedBy]).toEqual(['approvals_syncing', [bot.login]]);
    advance(1);
    expect(await status()).toBe('mergeable');
    expect([sim.snapshot(project, 1).approvedBy, actions()]).toEqual([
      [],
      [
        ['update', false],
        ['unapproved', true],
      ],
    ]);
    const reset = JSON.parse(sim.deliveries[1]?.body ?? '');
    expect([reset.object_attributes.system_action, reset.user.username]).toEqual(['approvals_reset_on_push', 'author']);
    const ce = await openScene({ edition: 'ce' });
    await ce.api(ce.bot, 'POST', `${mrPath}/approve`, {});
    await ce.sim.commitFiles(push);
    expect(ce.sim.snapshot(project, 1).approvedBy).toEqual([bot.login]);
    await ce.end();
  });

  it('is an `approval` in EE until the rules are satisfied', async () => {
    const { sim, owner } = current();
    sim.world.projects.forEach((one) => {
      one.approvalsRequired = 2;
    });
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['merge_requests_events'] });
    await approve();
    await approve({}, owner);
    expect(actions()).toEqual([
      ['approval', false],
      ['approved', false],
    ]);
  });
});

describe('requested changes', () => {
  const query =
    'mutation($p: ID!, $i: String!) { mergeRequestRequestChanges(input: {projectPath: $p, iid: $i}) { errors } }';
  const ask = async () => {
    const { sim, bot } = current();
    const answer = await fetch(`${sim.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bot.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { projectPath: project, iid: '1' } }),
    });
    return answer.json();
  };

  it('by a reviewer remove the approval and show in the state of the reviewer', async () => {
    const { sim, api, bot } = current();
    await sim.editMergeRequest({ ...at, as: 'author', reviewers: [bot.login] });
    await sim.approve({ ...at, as: bot.login });
    expect(await ask()).toEqual({ data: { mergeRequestRequestChanges: { errors: [] } } });
    const [reviewer] = rowsOf(await api(bot, 'GET', `${mrPath}/reviewers`));
    expect([reviewer?.['state'], sim.snapshot(project, 1).approvedBy]).toEqual(['requested_changes', []]);
    expect(rowOf(await api(bot, 'GET', mrPath))['detailed_merge_status']).toBe('requested_changes');
  });

  it('by anybody else are recorded all the same, though the answer is an error', async () => {
    const { sim } = current();
    expect(await ask()).toEqual({ data: { mergeRequestRequestChanges: { errors: ['Reviewer not found'] } } });
    expect(sim.mergeRequestAt(at).requestedChanges.size).toBe(1);
    expect(sim.mergeRequestAt(at).notes.map((note) => [note.system, note.body])).toEqual([[true, 'requested changes']]);
  });

  const send = async (text: string, method: 'GET' | 'POST' = 'POST') => {
    const { sim, bot } = current();
    const variables = { p: project, i: '1', projectPath: project, iid: '1' };
    const headers = { authorization: `Bearer ${bot.token}`, 'content-type': 'application/json' };
    const asked = new URLSearchParams({ query: text, variables: JSON.stringify(variables) });
    const body = JSON.stringify({ query: text, variables });
    const answer = await (method === 'GET'
      ? fetch(`${sim.url}/api/graphql?${asked.toString()}`, { headers })
      : fetch(`${sim.url}/api/graphql`, { method: 'POST', headers, body }));
    const json: unknown = await answer.json();
    return { status: answer.status, json };
  };
  const takeBack =
    'mutation($p: ID!, $i: String!) { mergeRequestDestroyRequestedChanges(input: {projectPath: $p, iid: $i}) { errors } }';
  const record =
    'query($p: ID!, $i: String!) { project(fullPath: $p) { mergeRequest(iid: $i) { mergeabilityChecks { identifier status } changeRequesters { nodes { id } } } } }';
  const recorded = (status: string, changeRequesters: unknown) => ({
    data: {
      project: {
        mergeRequest: { mergeabilityChecks: [{ identifier: 'REQUESTED_CHANGES', status }], changeRequesters },
      },
    },
  });
  const destroyed = (...errors: readonly string[]) => ({ data: { mergeRequestDestroyRequestedChanges: { errors } } });

  it('stay through a repeated request, drafts and the removal of the reviewer', async () => {
    const { sim, bot, api } = current();
    const nodes = [{ id: `gid://gitlab/User/${bot.id}` }];
    await sim.editMergeRequest({ ...at, as: 'author', reviewers: [bot.login] });
    await ask();
    await sim.reRequest({ ...at, as: 'author', reviewer: bot.login });
    expect((await send(record, 'GET')).json).toEqual(recorded('FAILED', { nodes }));
    await api(bot, 'POST', `${mrPath}/draft_notes`, { note: 'x' });
    await sim.editMergeRequest({ ...at, as: 'author', reviewers: [] });
    await sim.editMergeRequest({ ...at, as: 'author', reviewers: [bot.login] });
    expect(rowsOf(await api(bot, 'GET', `${mrPath}/reviewers`))[0]?.['state']).toBe('requested_changes');
    expect((await send(takeBack)).json).toEqual(destroyed());
    expect((await send(takeBack)).json).toEqual(destroyed('User has not requested changes for this merge request'));
    expect((await send(record)).json).toEqual(recorded('SUCCESS', { nodes: [] }));
  });

  it('are taken and never taken back without a licence, where they block nothing', async () => {
    const { sim, bot, api } = current();
    sim.world.projects.forEach((one) => {
      one.premium = false;
    });
    await sim.editMergeRequest({ ...at, as: 'author', reviewers: [bot.login] });
    expect(await ask()).toEqual({ data: { mergeRequestRequestChanges: { errors: [] } } });
    expect((await send(takeBack)).json).toEqual(destroyed('Invalid license'));
    expect((await send(record)).json).toEqual(recorded('INACTIVE', null));
    expect(rowOf(await api(bot, 'GET', mrPath))['detailed_merge_status']).toBe('mergeable');
  });

  it('are refused inside an answer 200, also for a project that is not there, and as a GET', async () => {
    const unknown = query.replace('$p, iid', '"acme/none", iid');
    expect(await send(unknown.replace('projectPath: $p', 'projectPath: "acme/none"'))).toMatchObject({ status: 200 });
    expect((await send(query, 'GET')).status).toBe(422);
  });

  it('leave an approval that a repeated request takes away', async () => {
    const { sim, bot } = current();
    await sim.editMergeRequest({ ...at, as: 'author', reviewers: [bot.login] });
    await sim.approve({ ...at, as: bot.login });
    await sim.reRequest({ ...at, as: 'author', reviewer: bot.login });
    expect(sim.snapshot(project, 1).approvedBy).toEqual([]);
  });
});
