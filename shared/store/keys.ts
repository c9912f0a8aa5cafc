import { type StatusPlace, placeKey } from '../vocabulary/status-place.ts';
import { type ChangeRequest, changeRequestKey } from '../vocabulary/ids.ts';

/** All keys have the same hash tag, including those of the queue library, so that scripts work on a Redis Cluster. */
export type Keys = {
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
      | 'source-branch'
      | 'reactions'
      | 'view'
      | 'runs'
      | 'deaths',
  ) => string;
  /** Messages between Fixpoint and one external author about a change request. */
  readonly conversation: (of: ChangeRequest, author: string) => string;
  readonly ofRun: (
    runId: string,
    what: 'brief' | 'draft' | 'raw' | 'rules' | 'analysis' | 'fix-brief' | 'fix-work' | 'fix-report' | 'ignored',
  ) => string;
  /** The report of a CI job that guard has fetched for one analyzer of a run. */
  readonly ciReport: (runId: string, analyzer: string) => string;
  /** `id` is the id of a run or of an exploration. */
  readonly transcript: (id: string) => string;
  readonly plan: (planId: string) => string;
  readonly seen: (planId: string) => string;
  /** The names that the parts of a plan mention. */
  readonly called: (planId: string) => string;
  /** Messages for one recipient in one project. */
  readonly mailbox: (box: { readonly forge: string; readonly projectId: number; readonly name: string }) => string;
  /** Ids of the messages in `mailbox`. */
  readonly mailboxIds: Keys['mailbox'];
  /** Numbers of change requests that an author asked about before guard has read them. */
  readonly askedUnknown: Keys['mailbox'];
  /** Cursor of the last message of `mailbox` that was written to the recipient's folder. */
  readonly delivered: Keys['mailbox'];
  /** Where the messages for a recipient are, in all projects. */
  readonly mailIndex: (name: string) => string;
  /** Cursor of the last message of `mailIndex` that was written to the recipient's folder. */
  readonly deliveredAll: (name: string) => string;
  /** The lease under which a queue executes work during which a process has died. */
  readonly suspects: (queue: string, what: 'lock' | 'fence') => string;
  /** How long one job (`queue.jobId`) has waited in outages. */
  readonly waited: (jobKey: string) => string;
  readonly outages: string;
  /** Configuration errors that jobs have met. */
  readonly mistakes: string;
  /** The time at which an ongoing problem began. */
  readonly episode: (name: string) => string;
  /** The forge's names for the project of an event. */
  readonly about: (eventId: string) => string;
  /** Marks a message to a `[[notify]]` receiver whose sending has begun. */
  readonly sending: (id: string) => string;
  /** What the operator's page shows of the whole installation. */
  readonly board: (what: 'working' | 'recent' | 'heartbeats' | 'paused' | 'audit') => string;
  /** `id` is a hash, so that a session cannot be taken over by reading Redis. */
  readonly consoleSession: (id: string) => string;
  /** Only readiness checks write this key, to test whether Redis accepts writes. */
  readonly ready: string;
  /** Which guard serves the metrics of the whole installation. */
  readonly numbers: (what: 'lock' | 'fence') => string;
  readonly identity: (forge: string) => string;
  readonly question: (id: string) => string;
  readonly notes: (id: string) => string;
  readonly ofProject: (
    forge: string,
    projectId: number,
    what: 'running' | 'waiting' | 'swept' | 'place-fence' | 'ignored' | 'held' | 'path',
  ) => string;
  readonly ofPlace: (place: StatusPlace, what: 'lock' | 'shared' | 'readers' | 'missed') => string;
  readonly ofForge: (
    forge: string,
    what:
      | 'sweep-lock'
      | 'sweep-fence'
      | 'sweep-progress'
      | 'sweep-pending'
      | 'project-ids'
      | 'hooks'
      | 'handoffs'
      | 'handoffs-since',
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
    ciReport: (runId, analyzer) => `${tag}:run:${runId}:ci-report:${analyzer}`,
    transcript: (id) => `${tag}:transcript:${id}`,
    plan: (planId) => `${tag}:plan:${planId}`,
    seen: (planId) => `${tag}:seen:${planId}`,
    called: (planId) => `${tag}:called:${planId}`,
    mailbox: ({ forge, projectId, name }) => `${tag}:mailbox:${forge}.${projectId}:${name}`,
    mailboxIds: ({ forge, projectId, name }) => `${tag}:mailbox-ids:${forge}.${projectId}:${name}`,
    askedUnknown: ({ forge, projectId, name }) => `${tag}:asked-unknown:${forge}.${projectId}:${name}`,
    delivered: ({ forge, projectId, name }) => `${tag}:delivered:${forge}.${projectId}:${name}`,
    mailIndex: (name) => `${tag}:mail-index:${name}`,
    deliveredAll: (name) => `${tag}:delivered:${name}`,
    suspects: (queue, what) => `${tag}:suspects:${queue}:${what}`,
    waited: (jobKey) => `${tag}:waited:${jobKey}`,
    outages: `${tag}:outages`,
    mistakes: `${tag}:mistakes`,
    episode: (name) => `${tag}:episode:${name}`,
    about: (eventId) => `${tag}:about:${eventId}`,
    sending: (id) => `${tag}:sending:${id}`,
    board: (what) => `${tag}:board:${what}`,
    consoleSession: (id) => `${tag}:console-session:${id}`,
    ready: `${tag}:ready`,
    numbers: (what) => `${tag}:numbers:${what}`,
    identity: (forge) => `${tag}:identity:${forge}`,
    question: (id) => `${tag}:question:${id}`,
    notes: (id) => `${tag}:notes:${id}`,
    ofProject: (forge, projectId, what) => `${tag}:project:${forge}.${projectId}:${what}`,
    ofPlace: (place, what) => `${tag}:place:${placeKey(place)}:${what}`,
    ofForge: (forge, what) => `${tag}:forge:${forge}:${what}`,
  };
};
