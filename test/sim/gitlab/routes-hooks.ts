import { z } from 'zod';
import { empty, json, type Reply } from '../forgejo/reply.ts';
import { type Call, numberParam, param, projectAt, type Route, sentAs, signedIn } from './call.ts';
import { badParameter, forbidden, GitlabRefusal, notFound } from './errors.ts';
import { findGroup } from './find.ts';
import { changeHook, createHook } from './hooks.ts';
import { paged } from './paging.ts';
import { isBlocked } from './blocked-addresses.ts';
import { groupsAbove } from './paths.ts';
import { pushPayload } from './payload-git.ts';
import { tipOf } from './push.ts';
import { sendTest, wasGood } from './webhooks.ts';
import { flag, text } from './parameters.ts';
import { hookJson } from './represent.ts';
import { type HookFlag, hookFlags, type SimGroup, type SimHook, type SimProject } from './world.ts';

const Flags = z.object({
  push_events: flag.optional(),
  merge_requests_events: flag.optional(),
  note_events: flag.optional(),
  confidential_note_events: flag.optional(),
  pipeline_events: flag.optional(),
  emoji_events: flag.optional(),
});
const Change = Flags.extend({
  url: text.optional(),
  name: text.optional(),
  token: text.optional(),
  signing_token: text.optional(),
});
const New = Change.extend({ url: text });

const eventsAfter = (before: ReadonlySet<string>, sent: z.output<typeof Flags>): readonly HookFlag[] =>
  hookFlags.filter((name) => sent[name] ?? before.has(name));

type Owner = (call: Call) => SimProject | SimGroup;

const groupOf: Owner = (call) => {
  const user = signedIn(call);
  const group = findGroup(call.world, param(call, 'id'));
  if (!user.isAdmin && (group.members.get(user.id) ?? 0) < 50) throw forbidden();
  return group;
};

/** Requires a maintainer; for groups, an owner. */
const projectOwner: Owner = (call) => projectAt(call, 40);

const hookOf = (call: Call, owner: Owner): SimHook => {
  const hook = owner(call).hooks.find((candidate) => candidate.id === numberParam(call, 'hook_id'));
  if (hook === undefined) throw notFound('Not found');
  return hook;
};

const create = (call: Call, owner: Owner): Reply => {
  const place = owner(call);
  const sent = sentAs(call, New);
  const events = eventsAfter(new Set(['push_events']), sent);
  const wish = { url: sent.url, name: sent.name, token: sent.token, signingToken: sent.signing_token, events };
  return json(201, hookJson(call.world, createHook(call.world, place, wish)));
};

const change = (call: Call, owner: Owner): Reply => {
  const hook = hookOf(call, owner);
  const sent = sentAs(call, Change);
  const { url, name, token } = sent;
  changeHook(call.world, hook, {
    url,
    name,
    token,
    signingToken: sent.signing_token,
    events: eventsAfter(hook.events, sent),
  });
  return json(200, hookJson(call.world, hook));
};

const remove = (call: Call, owner: Owner): Reply => {
  const hook = hookOf(call, owner);
  hook.owner.hooks.splice(hook.owner.hooks.indexOf(hook), 1);
  return empty(204);
};

const Trigger = z.enum(['push_events', 'merge_requests_events', 'note_events']);

const NAMES = { merge_requests_events: 'Merge Request Hook', note_events: 'Note Hook' } as const;

/** A push is made up, also in an empty project; a group needs a project with commits (ee/app/services/test_hooks). */
const samplePush = async (call: Call, place: SimProject | SimGroup): Promise<string> => {
  const inside =
    place.kind === 'project' ? [place] : call.world.projects.filter((one) => groupsAbove(one).includes(place));
  for (const project of inside) {
    const tip = await tipOf(project, project.defaultBranch);
    if (tip === null && place.kind === 'group') continue;
    const push = { branch: project.defaultBranch, before: null, after: tip, pusher: signedIn(call) };
    return JSON.stringify(await pushPayload(call.world, project, push));
  }
  throw new GitlabRefusal(422, { message: 'Ensure the group has a project with commits.' });
};

const sampleOf = async (call: Call, place: SimProject | SimGroup, trigger: z.output<typeof Trigger>) => {
  if (trigger === 'push_events') return { name: 'Push Hook', body: await samplePush(call, place) };
  const name = NAMES[trigger];
  const body = call.world.deliveries.findLast((delivery) => delivery.event === name)?.body;
  if (body === undefined) throw new GitlabRefusal(422, { message: 'Ensure the project has data to send.' });
  return { name, body };
};

/**
 * Sends a test request with data of the project, whatever the hook's events are, also to a disabled hook; a successful
 * answer enables the hook again (forges.md 2.3).
 */
const test = async (call: Call, owner: Owner): Promise<Reply> => {
  const hook = hookOf(call, owner);
  const trigger = Trigger.safeParse(param(call, 'trigger'));
  if (!trigger.success) throw badParameter('trigger does not have a valid value');
  const sample = await sampleOf(call, owner(call), trigger.data);
  if (isBlocked(call.world, hook.url))
    throw new GitlabRefusal(422, { message: 'URL is blocked: Requests to the local network are not allowed' });
  return wasGood(await sendTest(call.world, hook, sample))
    ? json(201, { message: '201 Created' })
    : json(422, { message: 'Hook execution failed' });
};

const routesAt = (base: string, owner: Owner): readonly Route[] => [
  {
    method: 'GET',
    path: base,
    described: base,
    handle: (call) =>
      paged(
        call,
        owner(call).hooks.map((hook) => hookJson(call.world, hook)),
      ),
  },
  { method: 'POST', path: base, described: base, handle: (call) => create(call, owner) },
  {
    method: 'GET',
    path: `${base}/{hook_id}`,
    described: `${base}/{hook_id}`,
    handle: (call) => json(200, hookJson(call.world, hookOf(call, owner))),
  },
  { method: 'PUT', path: `${base}/{hook_id}`, described: `${base}/{hook_id}`, handle: (call) => change(call, owner) },
  {
    method: 'POST',
    path: `${base}/{hook_id}/test/{trigger}`,
    described: `${base}/{hook_id}/test/{trigger}`,
    handle: (call) => test(call, owner),
  },
  {
    method: 'DELETE',
    path: `${base}/{hook_id}`,
    described: `${base}/{hook_id}`,
    handle: (call) => remove(call, owner),
  },
];

export const hookRoutes: readonly Route[] = [
  ...routesAt('/projects/{id}/hooks', projectOwner),
  ...routesAt('/groups/{id}/hooks', groupOf),
];
