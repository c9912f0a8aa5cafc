import { type StatusPlace, placeKey } from '../vocabulary/status-place.ts';
import { type ChangeRequest, changeRequestKey } from '../vocabulary/ids.ts';

/**
 * Every key carries the same hash tag, so that scripts and the queue work on a Redis Cluster.
 * The queue library's own keys live under the same tag.
 */
export type Keys = {
  /** The queue library's prefix. */
  readonly queues: string;
  readonly delivery: (forge: string, deliveryId: string) => string;
  readonly dedupKey: (dedupKey: string) => string;
  readonly ofChangeRequest: (
    of: ChangeRequest,
    what:
      | 'inbox'
      | 'lock'
      | 'fence'
      | 'state'
      | 'summary'
      | 'decisions'
      | 'posting-lock'
      | 'posting-fence'
      | 'messages'
      | 'asked'
      | 'notes'
      | 'reading'
      | 'look'
      | 'cli-session'
      | 'source-branch',
  ) => string;
  /** What Fixpoint and one author outside say about a change request. */
  readonly conversation: (of: ChangeRequest, author: string) => string;
  readonly ofRun: (
    runId: string,
    what: 'brief' | 'draft' | 'raw' | 'rules' | 'fix-brief' | 'fix-work' | 'fix-report',
  ) => string;
  /** Of a run or of an exploration. */
  readonly transcript: (id: string) => string;
  readonly plan: (planId: string) => string;
  readonly seen: (planId: string) => string;
  /** Whom the parts of a plan call. */
  readonly called: (planId: string) => string;
  /** What waits for one name in one project. */
  readonly mailbox: (box: { readonly forge: string; readonly projectId: number; readonly name: string }) => string;
  /** The ids of these messages. */
  readonly mailboxIds: Keys['mailbox'];
  /** How far that has been put into its folder. */
  readonly delivered: Keys['mailbox'];
  /** How long one job has waited for what was away; `queue.jobId`. */
  readonly waited: (jobKey: string) => string;
  /** What is away right now. */
  readonly outages: string;
  /** What only an operator can put right, as jobs have met it. */
  readonly mistakes: string;
  /** Written by readiness checks, for nothing but to see that it can be. */
  readonly ready: string;
  readonly identity: (forge: string) => string;
  readonly question: (id: string) => string;
  readonly notes: (id: string) => string;
  readonly ofProject: (
    forge: string,
    projectId: number,
    what: 'running' | 'waiting' | 'swept' | 'place-fence',
  ) => string;
  readonly ofPlace: (place: StatusPlace, what: 'lock' | 'shared' | 'readers' | 'missed') => string;
  readonly ofForge: (
    forge: string,
    what: 'sweep-lock' | 'sweep-fence' | 'sweep-progress' | 'sweep-pending' | 'project-ids' | 'hooks',
  ) => string;
};

export const createKeys = (prefix: string): Keys => {
  const tag = `{${prefix}}`;
  return {
    queues: tag,
    delivery: (forge, deliveryId) => `${tag}:delivery:${forge}:${deliveryId}`,
    dedupKey: (dedupKey) => `${tag}:dedupKey:${dedupKey}`,
    ofChangeRequest: (of, what) => `${tag}:cr:${changeRequestKey(of)}:${what}`,
    conversation: (of, author) => `${tag}:cr:${changeRequestKey(of)}:messages:${author}`,
    ofRun: (runId, what) => `${tag}:run:${runId}:${what}`,
    transcript: (id) => `${tag}:transcript:${id}`,
    plan: (planId) => `${tag}:plan:${planId}`,
    seen: (planId) => `${tag}:seen:${planId}`,
    called: (planId) => `${tag}:called:${planId}`,
    mailbox: ({ forge, projectId, name }) => `${tag}:mailbox:${forge}.${projectId}:${name}`,
    mailboxIds: ({ forge, projectId, name }) => `${tag}:mailbox-ids:${forge}.${projectId}:${name}`,
    delivered: ({ forge, projectId, name }) => `${tag}:delivered:${forge}.${projectId}:${name}`,
    waited: (jobKey) => `${tag}:waited:${jobKey}`,
    outages: `${tag}:outages`,
    mistakes: `${tag}:mistakes`,
    ready: `${tag}:ready`,
    identity: (forge) => `${tag}:identity:${forge}`,
    question: (id) => `${tag}:question:${id}`,
    notes: (id) => `${tag}:notes:${id}`,
    ofProject: (forge, projectId, what) => `${tag}:project:${forge}.${projectId}:${what}`,
    ofPlace: (place, what) => `${tag}:place:${placeKey(place)}:${what}`,
    ofForge: (forge, what) => `${tag}:forge:${forge}:${what}`,
  };
};
