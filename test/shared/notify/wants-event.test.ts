import { expect, test } from 'vitest';
import type { NotifyEvent } from '../../../shared/notify/event.ts';
import { wantsEvent, type Wanted } from '../../../shared/notify/wants-event.ts';
import { NotifyEventKind } from '../../../shared/vocabulary/notify.ts';
import { EVENTS } from './events.ts';

const { handoff, budget_used_up: budget, outage, webhook_dead: webhook, job_failed: job } = EVENTS;
const all = { events: [...NotifyEventKind.options], forges: [], projects: [] };
const ofGroup = { ...all, projects: ['Group/*'] };
const ofMain = { ...all, forges: ['main'] };
const day: NotifyEvent = { ...budget, scope: 'day' };

test.each<[string, Parameters<typeof wantsEvent>[0], NotifyEvent, string | null, Wanted]>([
  ['no filter', all, handoff, 'group/app', 'yes'],
  ['no filter, and no path known', all, handoff, null, 'yes'],
  ['no filter, for the installation', all, outage, null, 'yes'],
  ['another kind of event', { ...all, events: ['outage'] }, handoff, 'group/app', 'no'],
  ['its kind among others', { ...all, events: ['outage', 'handoff'] }, handoff, 'group/app', 'yes'],
  ['its group, in other case', ofGroup, handoff, 'group/app', 'yes'],
  ['its group, from above', ofGroup, webhook, 'group/sub/app', 'yes'],
  ['another group', ofGroup, handoff, 'groups/app', 'no'],
  ['the project by name', { ...all, projects: ['x/y', 'group/app'] }, handoff, 'group/app', 'yes'],
  ['every project', { ...all, projects: ['*'] }, handoff, 'group/app', 'yes'],
  ['a project whose path is not known', ofGroup, handoff, null, 'unknown'],
  ['every project, for the installation', { ...all, projects: ['*'] }, outage, null, 'no'],
  ['a group, for the budget of the day', ofGroup, day, 'group/app', 'no'],
  ['a group, for the budget of its project', ofGroup, budget, 'group/app', 'yes'],
  ['a group, for a job of no change request', ofGroup, { ...job, changeRequest: null }, null, 'no'],
  ['its forge', ofMain, handoff, null, 'yes'],
  ['another forge', { ...all, forges: ['other'] }, handoff, null, 'no'],
  ['another forge, for the installation', ofMain, outage, null, 'no'],
  ['its forge, for an outage of it', ofMain, { ...outage, what: 'forge', forge: 'main' }, null, 'yes'],
  ['another forge with a project of that name', { ...ofGroup, forges: ['other'] }, handoff, 'group/app', 'no'],
])('a receiver with a filter for %s', (_what, filters, event, path, wanted) => {
  expect(wantsEvent(filters, event, path)).toBe(wanted);
});
