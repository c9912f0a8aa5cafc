/** Fields of webhook payloads against recorded ones (webhooks/README.md). Without the recordings they are skipped. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedData } from '../support/shared-data.ts';
import { project, type Scene, useScene } from './gitlab-support.ts';

const current = useScene();
const at = { project, iid: 1 };
const Row = z.record(z.string(), z.unknown());

// Rows of EE features that are not simulated, or of things that the recorded merge request happened to have.
const optional = new Set(['assignees', 'assignee', 'reviewers', 'milestone_id']);
const left = [
  '/issue',
  '/source_pipeline',
  '/repository/git_',
  '/repository/visibility_level',
  '/merge_request/position',
];

const missing = (real: unknown, ours: unknown, path = ''): readonly string[] => {
  const [theirs, mine] = [Row.safeParse(real), Row.safeParse(ours)];
  if (!theirs.success || !mine.success) return [];
  return Object.entries(theirs.data).flatMap(([name, value]) => {
    if (name in mine.data) return missing(value, mine.data[name], `${path}/${name}`);
    return optional.has(name) ? [] : [`${path}/${name}`];
  });
};

type Act = (scene: Scene) => Promise<unknown>;
const say = ({ sim }: Scene) => sim.comment({ ...at, as: 'author', body: 'hello' });
const push: Act = ({ sim }) =>
  sim.commitFiles({ project, branch: 'feature', files: { b: 'b' }, message: 'b', author: 'author' });
const open: Act = ({ sim }) => sim.openMergeRequest({ project, sourceBranch: 'feature', title: 'x', author: 'author' });
const award: Act = async (scene) =>
  scene.sim.award({ ...at, as: 'author', name: 'eyes', note: (await say(scene)) ?? 0 });
const pipeline: Act = ({ sim }) => {
  const sha = sim.mergeRequestAt(at).headSha;
  const source = 'merge_request_event';
  return sim.runPipeline({ project, sha, ref: 'feature', status: 'success', as: 'author', source });
};

/** Shown by the documentation alone (GL lib/gitlab/hook_data/emoji_builder.rb). */
const onlyInDocs = ['/object_attributes/action'];

const cases: readonly { kind: string; folder: string; name: string; act: Act; without?: readonly string[] }[] = [
  { kind: 'merge_request', folder: 'gitlab', name: 'woodpecker__HookPullRequestOpened', act: open },
  { kind: 'merge_request', folder: 'gitlab-derived', name: 'mr_update_push_full', act: push },
  { kind: 'note', folder: 'gitlab-derived', name: 'note_mr_update', act: say },
  { kind: 'emoji', folder: 'gitlab-derived', name: 'emoji_revoke', act: award, without: onlyInDocs },
  { kind: 'pipeline', folder: 'gitlab', name: 'gitlab-docs__pipeline_events', act: pipeline },
  { kind: 'push', folder: 'gitlab', name: 'go-gitlab__push', act: push },
];

describe('a payload has every field of the recorded one', () => {
  for (const { kind, folder, name, act, without = [] } of cases) {
    const file = sharedData('webhooks', folder, `${name}.json`);
    const note = file === null ? ' (the recorded payloads are not here)' : '';
    it.skipIf(file === null)(`as in ${name}${note}`, async () => {
      const { sim } = current();
      sim.addProjectHook({ project, url: 'http://127.0.0.1:9/' });
      await act(current());
      const payloads = sim.deliveries.map((delivery) => Row.parse(JSON.parse(delivery.body)));
      const ours = payloads.findLast((payload) => payload['object_kind'] === kind);
      const real: unknown = JSON.parse(readFileSync(file ?? '', 'utf8'));
      expect(ours).toBeDefined();
      const absent = missing(real, ours).filter((path) => !left.some((start) => path.startsWith(start)));
      expect(absent).toEqual(without);
    });
  }
});

describe('an answer has every field of the recorded one', () => {
  const answers: readonly { name: string; path: string; prepare: Act }[] = [
    {
      name: 'gitlab-docs__draft_notes_list_all_merge_request_draft_notes',
      path: '/draft_notes',
      prepare: async ({ api, bot }) => api(bot, 'POST', '/projects/1/merge_requests/1/draft_notes', { note: 'x' }),
    },
    {
      name: 'gitlab-docs__merge_requests_retrieve_merge_request_diff_versions',
      path: '/versions',
      prepare: async () => undefined,
    },
    {
      name: 'gitlab-docs__discussions_list_project_merge_request_discussion_items',
      path: '/discussions',
      prepare: ({ sim }) => sim.startDiscussion({ ...at, as: 'author', body: 'x' }),
    },
    { name: 'go-gitlab__get_merge_request', path: '', prepare: async () => undefined },
  ];
  const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);
  // Attachments are gone since 17, and what old merge requests had is not asked for.
  const gone = ['/milestone', '/pipeline', '/head_pipeline', '/position', '/approvals_before_merge'];
  for (const { name, path, prepare } of answers) {
    const file = sharedData('api-responses', 'gitlab', `${name}.json`);
    const note = file === null ? ' (the recorded answers are not here)' : '';
    it.skipIf(file === null)(`as in ${name}${note}`, async () => {
      const { api, bot } = current();
      await prepare(current());
      const answer = await api(bot, 'GET', `/projects/1/merge_requests/1${path}`);
      const real: unknown = JSON.parse(readFileSync(file ?? '', 'utf8'));
      expect(
        missing(first(real), first(answer.json)).filter((one) => !gone.some((start) => one.startsWith(start))),
      ).toEqual([]);
    });
  }
});
