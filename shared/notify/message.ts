/** The plain text of an event. Each receiver's format escapes all of it. */
import { exceededText } from '../vocabulary/exceeded.ts';
import type { OutageKind } from '../rounds/model/events.ts';
import type { NotifyAbout, NotifyEvent } from './event.ts';
import { utcMinute } from '../vocabulary/utc-text.ts';

export type NotifyMessage = {
  readonly title: string;
  readonly text: string;
  /** The page to open. Null when no page shows the event. */
  readonly url: string | null;
};

/** Returns a name such as `group/app!12`, or `forge.42.12` when the forge did not answer. */
const named = (place: { forge: string; projectId: number; number?: number }, about: NotifyAbout): string => {
  if (about.project !== null) return `${about.project}${about.number ?? ''}`;
  const number = place.number === undefined ? '' : `, number ${place.number}`;
  return `project ${place.projectId} of ${place.forge}${number}`;
};

export const messageOf = (event: NotifyEvent, about: NotifyAbout): NotifyMessage => ({
  ...wordsOf(event, about),
  url: about.url,
});

const wordsOf = (event: NotifyEvent, about: NotifyAbout): Omit<NotifyMessage, 'url'> => {
  switch (event.kind) {
    case 'handoff':
      return {
        title: `A review needs a person: ${named(event.changeRequest, about)}`,
        text: `Fixpoint does not continue on its own (${event.reason.replaceAll('_', ' ')}). Its comment lists what is open.`,
      };
    case 'budget_used_up':
      return budgetWords(event, about);
    case 'outage':
      return outageWords(event);
    case 'webhook_dead':
      return {
        title: `A webhook does not work: ${named(event.project, about)}`,
        text: `${HOOK_WORDS[event.health]} Until the webhook is fixed, the sweep finds events late.`,
      };
    case 'job_failed':
      return {
        title: `A job failed for good: ${event.changeRequest === null ? event.queue : named(event.changeRequest, about)}`,
        text: `Queue ${event.queue}, job ${event.jobId}, code ${event.code}. The log has the reason.`,
      };
    default:
      return event satisfies never;
  }
};

const budgetWords = (
  event: NotifyEvent & { readonly kind: 'budget_used_up' },
  about: NotifyAbout,
): Omit<NotifyMessage, 'url'> => {
  const whose = event.scope === 'day' ? 'the installation' : named(event.changeRequest, about);
  const until = event.scope === 'change_request' ? 'Raise the limit to continue.' : 'Budgets reset at midnight UTC.';
  return {
    title: `A budget is used up: ${whose}`,
    text: `The next model call does not fit into ${exceededText(event)}. ${until}`,
  };
};

const outageWords = (event: NotifyEvent & { readonly kind: 'outage' }): Omit<NotifyMessage, 'url'> => {
  const what = event.forge === null ? OUTAGE_WORDS[event.what] : `${OUTAGE_WORDS[event.what]} ${event.forge}`;
  const since = utcMinute(event.sinceMs);
  return event.needsOperator
    ? {
        title: `Fixpoint is refused by ${what}`,
        text: `Since ${since} (${event.code}). Work waits until the problem is fixed and Fixpoint is restarted, or until somebody requests a review.`,
      }
    : {
        title: `Fixpoint cannot use ${what}`,
        text: `Since ${since} (${event.code}). Work waits and continues automatically.`,
      };
};

const OUTAGE_WORDS: Readonly<Record<OutageKind, string>> = {
  model: 'the model',
  forge: 'the forge',
  git: 'the git server of the forge',
  disk: 'its disk',
  store: 'its Redis',
};

const HOOK_WORDS: Readonly<Record<(NotifyEvent & { readonly kind: 'webhook_dead' })['health'], string>> = {
  partial: 'The webhook does not send every event that Fixpoint listens to.',
  unfit: 'Its deliveries cannot be accepted: the webhook has no secret, or sends form data instead of JSON.',
  disabled: 'The forge has disabled the webhook.',
  missing: 'No webhook points to Fixpoint.',
};
