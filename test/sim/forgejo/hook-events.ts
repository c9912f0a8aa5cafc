/** Names of webhook events: the forge uses three spellings. */

/** Fine name (header `-Event-Type`) → coarse name (header `-Event`). Forgejo modules/webhook/type.go, forges.md 4.2. */
const coarse: Readonly<Record<string, string>> = {
  pull_request: 'pull_request',
  pull_request_sync: 'pull_request',
  pull_request_assign: 'pull_request',
  pull_request_label: 'pull_request',
  pull_request_milestone: 'pull_request',
  pull_request_review_request: 'pull_request',
  pull_request_review_approved: 'pull_request_approved',
  pull_request_review_rejected: 'pull_request_rejected',
  // Misleading: this is the event of a review comment …
  pull_request_review_comment: 'pull_request_comment',
  // … and this the event of an ordinary comment, with the coarse name of an issue comment.
  pull_request_comment: 'issue_comment',
  issue_comment: 'issue_comment',
  push: 'push',
  create: 'create',
  delete: 'delete',
  repository: 'repository',
  status: 'status',
};

const giteaOnly = new Set(['status']);

export const coarseName = (event: string): string => coarse[event] ?? event;

const pullEvents = Object.keys(coarse).filter((event) => event.startsWith('pull_request'));
const reviewEvents = pullEvents.filter(
  (event) => event.startsWith('pull_request_review_') && !event.endsWith('request'),
);

const expand = (name: string, product: Product): readonly string[] => {
  // Gitea has no single review events to choose (routers/api/v1/utils/hook.go updateHookEvents, since 1.24).
  if (product === 'gitea' && reviewEvents.includes(name)) return [];
  switch (name) {
    case 'pull_request':
      return pullEvents;
    case 'pull_request_only':
      return ['pull_request'];
    case 'pull_request_review':
      return reviewEvents;
    case 'issues':
      return ['issue_comment'];
    default:
      return Object.hasOwn(coarse, name) ? [name] : [];
  }
};

type Product = 'forgejo' | 'gitea';

/** The events of a hook created with these names: `pull_request` includes its whole family, unknown names are ignored. */
export const eventsOf = (names: readonly string[], product: Product): ReadonlySet<string> =>
  new Set(
    names.flatMap((name) => expand(name, product)).filter((event) => product === 'gitea' || !giteaOnly.has(event)),
  );

/** As the forge lists them: Gitea has one name for the three events of reviews (models/webhook/webhook.go EventsArray). */
export const listedEvents = (events: ReadonlySet<string>, product: Product): readonly string[] => {
  const names = [...events].map((event) =>
    product === 'gitea' && reviewEvents.includes(event) ? 'pull_request_review' : event,
  );
  return [...new Set(names)].toSorted();
};
