/** The previous version and this one side by side while a model reviews: conversations and questions of the other one. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceName } from '../../shared/config/service-needs.ts';
import type { ChatSim } from '../sim/chat/start.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { awaitVerdict, commitBase, openStory, readerView, statusOf, type Told } from '../support/fleet-story.ts';
import { MANY_FILES } from '../support/many-files.ts';
import { MESSAGES_WIRE, stageOf } from '../support/wires.ts';
import { failedJobs, markersOf, NOBODY, summaryOf, type TwoVersions, type Version, withVersions } from './crew.ts';
import { buildPrevious, type PreviousVersion, UPGRADE_FROM } from './previous-version.ts';

const START_MS = 600_000;
const STORY_MS = 300_000;
const VERDICT_MS = 200_000;

/** Only the model sees it, so a verifier is asked about it. */
const CLAIMED = 'export const part0 = 0; // DEFECT(P1: forgets the unit)\n';

const QUESTIONS = ['Who calls sum() and relies on its arguments being numbers?', 'Who calls greet()?'] as const;

describe.skipIf(UPGRADE_FROM === '')('with a model, the previous version and this one', () => {
  let previous: PreviousVersion | null = null;
  let sim: ChatSim;
  let fleet: Fleet;
  let both: TwoVersions;

  beforeAll(async () => {
    previous = buildPrevious();
    sim = await MESSAGES_WIRE.start();
    sim.script(seededReviewer(7, { explore: QUESTIONS }));
    fleet = await startFleet({
      count: NOBODY,
      knobs: { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5, model: stageOf(MESSAGES_WIRE, sim) },
    });
    both = withVersions(fleet, previous.dist);
    await commitBase(fleet);
  }, START_MS);

  afterEach(async () => both.stop(), STORY_MS);

  afterAll(async () => {
    await fleet?.close();
    await sim?.close();
    previous?.remove();
  });

  const startAll = async (versionOf: (service: ServiceName) => Version): Promise<void> => {
    const names = ['poster', 'guard', 'reviewer', 'explorer', 'ingress'] as const;
    await both.start(Object.fromEntries(names.map((name) => [name, [versionOf(name)]])));
  };

  /** Each finding was said once, in one review; what became of it. */
  const ledgerOf = (told: Told): readonly string[] => {
    const findings = markersOf(fleet, told).flatMap((marker) => (marker.kind === 'finding' ? [marker] : []));
    expect(new Set(findings.map(({ fp }) => fp)).size).toBe(findings.length);
    const { phase, review, ledger } = summaryOf(fleet, told);
    expect({ phase, review }).toEqual({ phase: 'posted', review: 1 });
    expect(markersOf(fleet, told).filter(({ kind }) => kind === 'handoff')).toEqual([]);
    expect(fleet.sim.violations).toEqual([]);
    expect(readerView(fleet, told).unpublished).toEqual([]);
    return ledger.map(({ path, line, state }) => `${path}:${line} ${state}`).toSorted();
  };

  const open = async (branch: string): Promise<Told> =>
    openStory(fleet, fleet.repos[0] ?? '', branch, { ...MANY_FILES, 'many/part0.js': CLAIMED });

  const OPEN = ['greet.py:5 open', 'many/part0.js:1 open', 'ship.sh:4 open', 'sum.js:2 open'];

  const REVIEWER_STEPS = ['after-input', 'before-input:2', 'after-explorer', 'before-draft'] as const;

  test.each(REVIEWER_STEPS.flatMap((at) => (['old', 'new'] as const).map((version) => ({ at, version }))))(
    'SIGKILL of the $version reviewer at $at: a reviewer of the other version continues',
    async ({ at, version }) => {
      await startAll(() => version);
      await both.stop(['reviewer']);
      await both.start({ reviewer: [version] }, { crashAt: at });
      const [doomed] = fleet.alive('reviewer');
      const told = await open(`talk-${version}-${at.replace(':', '-')}`);
      expect(await doomed?.exited).toEqual({ code: null, signal: 'SIGKILL' });
      await both.replaceBy({});
      await startAll(() => (version === 'old' ? 'new' : 'old'));
      await awaitVerdict(fleet, told, VERDICT_MS);
      expect(ledgerOf(told)).toEqual(OPEN);
      // The way back: the old reviewer does not know the verifiers of a conversation that had come to its end. It says
      // so in the log, the attempt fails, and the next one reviews.
      const isBeyondOld = version === 'new' && at === 'before-draft';
      expect(summaryOf(fleet, told).runs).toBe(isBeyondOld ? 2 : 1);
      const codes = fleet.records('reviewer').map(({ code }) => code);
      if (isBeyondOld) expect(codes).toContain('TRANSCRIPT_UNREADABLE');
    },
    STORY_MS,
  );

  test(
    'a new explorer works for an old reviewer',
    async () => {
      await startAll((service) => (service === 'explorer' ? 'new' : 'old'));
      const told = await open('new-explorer');
      await awaitVerdict(fleet, told, VERDICT_MS);
      expect(ledgerOf(told)).toEqual(OPEN);
    },
    STORY_MS,
  );

  test(
    'an old explorer refuses the verifier of a new reviewer: the claim of the model is listed as not verified, and nothing passes',
    async () => {
      await startAll((service) => (service === 'explorer' ? 'old' : 'new'));
      const told = await open('old-explorer');
      await awaitVerdict(fleet, told, VERDICT_MS);
      expect(ledgerOf(told)).toEqual(OPEN.map((line) => line.replace('part0.js:1 open', 'part0.js:1 unverified')));
      expect(statusOf(fleet, told)).toBe('failure');
      expect(await failedJobs(fleet)).toContain('explore: JOB_REFUSED');
      // On Forgejo the summary of the first review is the body of that review.
      const { comments, reviews } = readerView(fleet, told);
      expect([...comments, ...reviews].map(({ body }) => body).join('\n')).toContain('no verifier confirmed');
    },
    STORY_MS,
  );
});
