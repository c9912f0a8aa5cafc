/**
 * A model on a simulated GitLab writes every reference syntax in every text: the posted text is readable, creates no
 * references, closes nothing and notifies nobody.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeBreaks } from '../../shared/text/break-points.ts';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { reply, toolUse } from '../sim/messages/reply.ts';
import { type MessagesSim, startMessagesSim } from '../sim/messages/start.ts';
import { SUBMIT } from '../sim/messages/submission.ts';
import { BOT, type Fleet, startFleet } from '../support/fleet.ts';
import { handsOn, type SimOf } from '../support/fleet-forge.ts';
import { awaitVerdict, commitBase, openStory } from '../support/fleet-story.ts';
import { gitlabReferences } from '../support/gitlab-references.ts';
import { withoutFences } from '../support/live-markup.ts';

const STORY_MS = 240_000;

let model: MessagesSim;
let fleet: Fleet<SimOf['gitlab']>;

beforeAll(async () => {
  model = await startMessagesSim();
  const knobs = { model };
  fleet = await startFleet({ forge: 'gitlab', knobs });
  await commitBase(fleet);
}, STORY_MS);
afterAll(async () => {
  await fleet?.close();
  await model?.close();
}, STORY_MS);

test(
  'F-E10: no reference that a model writes does anything on GitLab, in summary, title and text of a finding',
  async () => {
    // Addresses are shown as code, so they need no escaping.
    const references = gitlabReferences(fleet.sim.url).filter(([, reference]) => !reference.startsWith('http'));
    const words = references.map(([name, reference]) => `See ${name}: ${reference} .`);
    const title = 'Loses what closes #123, !123, $123, &123, ^alert#123 and [issue:123]';
    const finding = { path: 'sum.js', line: 2, severity: 'P1', title, body: words.join('\n'), evidence: 'eval(a)' };
    model.script(({ turn }) =>
      turn === 0
        ? reply([toolUse('Read', { path: 'sum.js' })])
        : reply([toolUse(SUBMIT, { summary: words.join(' '), findings: [finding], not_reviewed: [] })]),
    );
    const told = await openStory(fleet, fleet.repos[0] ?? '', 'referring');
    await awaitVerdict(fleet, told, 120_000);
    const { comments, inline } = handsOn(fleet.sim).look(told);
    // GitLab reads no references in a fence: the prompt for a coding agent stands in one.
    const said = [...comments, ...inline]
      .filter(({ author }) => author === BOT)
      .map(({ body }) => withoutFences(stripMarkers(body)));
    const telling = said.filter((body) => removeBreaks(body).includes('See an epic: &123'));
    expect(telling.length).toBeGreaterThan(0);
    expect(said.some((body) => removeBreaks(body).includes('and [issue:123]'))).toBe(true);
    const shown = (body: string, reference: string): boolean =>
      body.replaceAll(/[\u200b`\\]/g, '').includes(`: ${reference} .`);
    for (const [name, reference] of references) {
      expect(telling.filter((body) => !shown(body, reference)).map(() => name)).toEqual([]);
      expect(said.filter((body) => body.includes(`: ${reference} .`)).map(() => name)).toEqual([]);
    }
    expect(said.filter((body) => /[#!&$]123|\[issue:|alert#1|@all\b/.test(body))).toEqual([]);
  },
  STORY_MS,
);
