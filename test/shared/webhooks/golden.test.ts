import { describe, expect, it } from 'vitest';
import type { ParsedDelivery } from '../../../shared/webhooks/event.ts';
import { WebhookEvent } from '../../../shared/webhooks/event.ts';
import { parseForgejo } from '../../../shared/forge/forgejo/webhooks/parse-forgejo.ts';
import { parseGitlab } from '../../../shared/forge/gitlab/webhooks/parse-gitlab.ts';
import { parseJson } from '../../../shared/webhooks/parse-json.ts';
import { sharedData } from '../../support/shared-data.ts';
import { EVENTS, IGNORED } from './golden.ts';
import { type Recorded, readRecorded } from './recorded.ts';

const root = sharedData('webhooks') === null ? null : sharedData();
const recorded = root === null ? [] : readRecorded(root);

const parse = ({ dialect, headers, body }: Recorded): ParsedDelivery =>
  dialect === 'gitlab' ? parseGitlab(headers, body) : parseForgejo(headers, body);

const describeEvent = (parsed: ParsedDelivery): string => {
  if (parsed.kind !== 'event') return parsed.kind;
  const { event, projectPath } = parsed;
  const ids = [
    event.noteId === null ? [] : [`note=${event.noteId}`],
    event.actorId === null ? [] : [`actor=${event.actorId}`],
    event.requestedReviewerId === null ? [] : [`asks=${event.requestedReviewerId}`],
    event.threadHint === null ? [] : [`thread=${event.threadHint.slice(0, 7)}`],
    projectPath === null ? ['no-path'] : [],
  ];
  return [event.kind, `${event.projectId}!${event.number}`, event.head?.slice(0, 7) ?? '-', ...ids.flat()].join(' ');
};

describe.skipIf(root === null)('recorded payloads (needs the recordings beside the checkout)', () => {
  it('are all in the table, and the table names no others', () => {
    const known = [...Object.keys(EVENTS), ...Object.values(IGNORED).flat()].toSorted();
    expect(recorded.map(({ file }) => file).toSorted()).toEqual(known);
  });

  it('mean what the table says', () => {
    const events = recorded
      .map((one) => [one.file, parse(one)] as const)
      .filter(([, parsed]) => parsed.kind === 'event');
    expect(Object.fromEntries(events.map(([file, parsed]) => [file, describeEvent(parsed)]))).toEqual(EVENTS);
  });

  it('are otherwise ignored for the stated reason', () => {
    const reasons: Record<string, string[]> = {};
    for (const one of recorded) {
      const parsed = parse(one);
      if (parsed.kind === 'refused') throw new Error(`${one.file} is refused`);
      if (parsed.kind === 'commit') (reasons['it is about a commit alone'] ??= []).push(one.file);
      if (parsed.kind === 'ignored') (reasons[parsed.reason] ??= []).push(one.file);
    }
    for (const files of Object.values(reasons)) files.sort();
    expect(reasons).toEqual(IGNORED);
  });

  it('are read from their raw bytes within the limits of the body', () => {
    for (const { raw, body } of recorded) expect(parseJson(raw)).toEqual({ ok: true, value: body });
  });

  it('become events of nothing but ids and commit ids', () => {
    for (const one of recorded) {
      const parsed = parse(one);
      if (parsed.kind === 'event') expect(WebhookEvent.parse(parsed.event)).toEqual(parsed.event);
    }
  });
});
