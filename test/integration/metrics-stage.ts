/** One story in which every metric moves that a story on Forgejo without real failures can move. */
import { randomBytes } from 'node:crypto';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createKeys } from '../../shared/store/keys.ts';
import type { ChatSim } from '../sim/chat/start.ts';
import type { LegalAnswer } from '../sim/messages/submission.ts';
import { fail } from '../sim/messages/reply.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import { type Receiver, startReceiver } from '../services/poster/notify/receiver.ts';
import {
  answerFinding,
  commitBase,
  finalStatusOf,
  firstFinding,
  open,
  push,
  reviewed,
  type StoryPlace,
  statusOf,
  switchHooksOff,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { AUTHOR, eventually, OWNER, type StoryWorld } from '../support/story-world.ts';

const PLANTED = textOf('export const a = open(); // DEFECT(P1: forgets to close the file)');
const CLEAN = textOf('export const a = 1;');

/** A second repository, whose runs may spend nothing, and whose webhook is switched off in the end. */
export const POOR = 'poor';

export const METRICS_SETTINGS = `
[metrics]
project_label = true

[[project]]
match = ["${OWNER}/${POOR}"]
budgets = { model = { run_tokens = 1000 } }

[[notify]]
name = "on-call"
kind = "json"
url_env = "ON_CALL_URL"
secret_env = "ON_CALL_SECRET"
events = ["webhook_dead"]
`;

export type OnCall = { readonly receiver: Receiver; readonly env: Readonly<Record<string, string>> };

/** Contract: the caller closes the receiver. */
export const startOnCall = async (): Promise<OnCall> => {
  const receiver = await startReceiver(`/hooks/${randomBytes(12).toString('hex')}`);
  const secret = ['whsec', randomBytes(32).toString('base64')].join('_');
  return { receiver, env: { ON_CALL_URL: receiver.url, ON_CALL_SECRET: secret } };
};

export type MetricsPlace = StoryPlace & Pick<StoryWorld, 'redis' | 'sweep'>;

export type MetricsStory = {
  /** The first repository. */
  readonly home: MetricsPlace;
  readonly poor: MetricsPlace;
  readonly model: Pick<ChatSim, 'script'>;
  /** The account that reads the forge. */
  readonly reader: string;
  readonly receiver: Receiver;
};

export type MetricsPlayed = {
  /** The change requests of `home` that the model reviewed. */
  readonly numbers: readonly number[];
};

export const playMetricsStory = async (story: MetricsStory): Promise<MetricsPlayed> => {
  const { home, poor, reader, receiver } = story;
  await commitBase(poor, { 'README.md': textOf('# Poor') });
  // Only an administrator of a project sees its webhooks.
  for (const { repo } of [home, poor]) home.sim.addCollaborator(repo, reader, 'admin');
  const [fixed, ...others] = await review(story);
  await refuseSpending(story);
  const lost = await loseWebhooks(story, fixed);
  await failJob(home);
  await eventually('the notification', () => receiver.received.length > 0);
  await home.calm();
  return { numbers: [fixed, ...others, lost] };
};

const insist: LegalAnswer = ({ actions }) => ({
  action: actions.includes('veto') ? 'veto' : 'reply',
  stance: 'seeks_change',
  body: 'Nobody closes it.',
});

/** A model that fails once, a finding that is fixed, one that is dismissed and one that is handed over. */
const review = async ({ home, model }: MetricsStory): Promise<[fixed: number, ...others: number[]]> => {
  model.script(seededReviewer(7));
  const once = model.script([fail(529, { headers: { 'retry-after-ms': '5' } })], { hasTool: 'submit_review' });
  const fixed = await reviewed(home, 'fixed', PLANTED);
  if (once.remaining() > 0) throw new Error('the model did not fail');
  await push(home, 'fixed', { 'fixed.js': CLEAN });
  await verdictOf(home, fixed);
  const dismissed = await reviewed(home, 'dismissed', PLANTED);
  const body = '@fixpoint dismiss F-001 because the process ends at once';
  home.sim.comment({ repo: home.repo, number: dismissed, as: OWNER, body });
  await eventually('a pass', () => statusOf(home, dismissed) === 'success');
  await home.calm();
  react(home, dismissed);
  home.sim.setState({ repo: home.repo, number: dismissed, as: AUTHOR }, 'closed');
  await home.calm();
  const disputed = await reviewed(home, 'disputed', PLANTED);
  model.script(seededReviewer(7, { answer: insist }));
  await answerFinding(home, disputed, { body: 'By design.' });
  return [fixed, dismissed, disputed];
};

const react = (home: MetricsPlace, number: number): void => {
  home.sim.react({ repo: home.repo, number, as: AUTHOR, comment: firstFinding(home, number), content: '-1' });
};

const refuseSpending = async ({ poor, model }: MetricsStory): Promise<void> => {
  model.script(seededReviewer(7));
  const number = await open(poor, { branch: 'poor', files: { 'poor.js': CLEAN } });
  await finalStatusOf(poor, number);
};

/** A change request and a head of which no webhook tells, and a webhook that no longer works. */
const loseWebhooks = async ({ home, poor }: MetricsStory, fixed: number): Promise<number> => {
  await switchHooksOff(poor);
  // Webhooks are read once an hour, the first time at the start.
  await home.redis.del(createKeys('fixpoint').ofForge('sim', 'hooks'));
  await home.sweep();
  home.sim.setDeliveryFilter(() => 'drop');
  const opened = open(home, { branch: 'lost', files: { 'lost.js': CLEAN } });
  await push(home, 'fixed', { 'more.js': CLEAN });
  const lost = await opened;
  await home.sweep();
  await verdictOf(home, lost);
  await verdictOf(home, fixed);
  home.sim.setDeliveryFilter(() => 'send');
  return lost;
};

const failJob = async ({ redis }: MetricsPlace): Promise<void> => {
  const queues = createQueues(redis, createKeys('fixpoint').queues);
  await queues.queue('guard').add('guard', { v: 1, kind: 'nonsense' }, { jobId: 'forged' });
  await eventually('the job has failed', async () => (await queues.queue('guard').getFailedCount()) === 1);
  await queues.close();
};
