import { z } from 'zod';
import { CommitSha } from '../../../vocabulary/ids.ts';
import type { ParsedDelivery } from '../../../webhooks/event.ts';
import { AccountId, Id, ignored, OptionalText, unfit } from '../../../webhooks/fields.ts';
import { GitlabProject, nameProject } from './project.ts';
import { digestOf } from '../../../webhooks/dedup-key.ts';

const PipelinePayload = z.object({
  user: z.object({ id: AccountId }).nullish(),
  project: GitlabProject,
  object_attributes: z.object({ id: Id, sha: OptionalText, status: OptionalText, finished_at: OptionalText }),
  /** Part of the hash: a pipeline can fail twice within one second, and its times are precise only to a second. */
  builds: z
    .array(z.object({ id: Id, status: OptionalText }))
    .nullish()
    .catch(null),
  /** Present only for merge request pipelines. */
  merge_request: z.object({ iid: Id, target_project_id: Id.nullish() }).nullish(),
});

export const parsePipeline = (body: unknown): ParsedDelivery => {
  const parsed = PipelinePayload.safeParse(body);
  if (!parsed.success) return unfit(parsed.error);
  const { builds, merge_request: mergeRequest, object_attributes: pipeline, project, user } = parsed.data;
  const jobs = (builds ?? []).map(({ id, status }) => [id, status]);
  const named = nameProject(project, mergeRequest?.target_project_id);
  if (named === null) return ignored('the payload names no project');
  const contentHash = digestOf([pipeline.id, pipeline.sha, pipeline.status, pipeline.finished_at, jobs]);
  const actorId = user?.id ?? null;
  if (!mergeRequest) {
    const head = CommitSha.safeParse(pipeline.sha);
    if (!head.success) return ignored('the pipeline names no commit');
    const event = { kind: 'pipeline', actorId } as const;
    return { kind: 'commit', ...named, head: head.data, event, contentHash };
  }
  return {
    kind: 'event',
    event: {
      projectId: named.projectId,
      number: mergeRequest.iid,
      kind: 'pipeline',
      // The pipeline's commit may be a trial merge, which is not a head.
      head: null,
      noteId: null,
      actorId,
      requestedReviewerId: null,
      threadHint: null,
    },
    projectPath: named.projectPath,
    contentHash,
  };
};
